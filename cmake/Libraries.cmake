# The libraries as lib::NAME, linked statically under GPUDOCTOR_STATIC.
find_package(PkgConfig REQUIRED)

function(library name module least)
    pkg_check_modules(${name} REQUIRED ${module}>=${least})
    add_library(lib::${name} INTERFACE IMPORTED)
    target_include_directories(lib::${name} INTERFACE ${${name}_INCLUDE_DIRS})
    if(GPUDOCTOR_STATIC)
        foreach(part ${${name}_STATIC_LIBRARIES})
            if(part MATCHES "^(c|m|dl|pthread|rt)$") # libc's own stay shared
                target_link_libraries(lib::${name} INTERFACE ${part})
                continue()
            endif()
            find_library(${name}_${part} lib${part}.a REQUIRED
                PATHS ${${name}_LIBDIR} ${${name}_STATIC_LIBRARY_DIRS})
            target_link_libraries(lib::${name} INTERFACE ${${name}_${part}})
        endforeach()
    else()
        target_link_libraries(lib::${name} INTERFACE ${${name}_LINK_LIBRARIES})
    endif()
endfunction()

library(jansson jansson 2.13)
library(pcre2 libpcre2-8 10.36)
library(sqlite3 sqlite3 3.38)
library(expat expat 2.4)
library(sodium libsodium 1.0.18)
library(archive libarchive 3.4)
library(yaml yaml-0.1 0.2)
