# Commands for kernel files. No compiler for a device is here: C++ or Python functions replace the kernels.
# ACL_EMULATOR_KERNELS, a variable of CMake or of the environment, lists C++ files with such functions. A kernel without
# a function builds, and its launch fails with 507015.
get_filename_component(ACLNN_EMULATOR_ROOT "${CMAKE_CURRENT_LIST_DIR}" REALPATH) # the folder may be a link
get_filename_component(ACLNN_EMULATOR_ROOT "${ACLNN_EMULATOR_ROOT}/../.." ABSOLUTE)
file(STRINGS "${ACLNN_EMULATOR_ROOT}/lib64/@CONFIGURATION@" ACLNN_EMULATOR_PYTHON)
if(NOT DEFINED ACL_EMULATOR_KERNELS)
    string(REPLACE ":" ";" ACL_EMULATOR_KERNELS "$ENV{ACL_EMULATOR_KERNELS}")
endif()

# _aclnn_emulator_translate(kind target output link files...): translate kernel files. `link`: a function to call, or ""
function(_aclnn_emulator_translate kind target output link)
    list(GET ACLNN_EMULATOR_PYTHON 0 python)
    list(GET ACLNN_EMULATOR_PYTHON 2 packages)
    set(sources "")
    foreach(file IN LISTS ARGN)
        get_filename_component(file "${file}" ABSOLUTE)
        list(APPEND sources "${file}")
    endforeach()
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" -E env "PYTHONPATH=${packages}" "${python}" -m aclnn.tools.toolkit.kernel_sources
                ${kind} "${output}" ${sources} "--link=${link}"
                "--folders=$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>"
        DEPENDS ${sources}
        COMMENT "Translating kernels of ${target}"
        VERBATIM)
endfunction()

# _aclnn_emulator_functions(target): the file of the functions that replace kernels, as FUNCTIONS; LINK is a function of
# this file. Both are empty if there are none.
function(_aclnn_emulator_functions target)
    set(FUNCTIONS "")
    set(LINK "")
    if(ACL_EMULATOR_KERNELS)
        string(MAKE_C_IDENTIFIER "aclnn_emulator_functions_${target}" LINK)
        set(FUNCTIONS "${CMAKE_CURRENT_BINARY_DIR}/${target}_functions.cpp")
        set(text "extern \"C\" int ${LINK}() { return 0; }\n")
        foreach(file IN LISTS ACL_EMULATOR_KERNELS)
            get_filename_component(file "${file}" ABSOLUTE)
            string(APPEND text "#include \"${file}\"\n")
        endforeach()
        file(WRITE "${FUNCTIONS}" "${text}")
    endif()
    set(FUNCTIONS "${FUNCTIONS}" PARENT_SCOPE)
    set(LINK "${LINK}" PARENT_SCOPE)
endfunction()

# ascendc_library(target [STATIC|SHARED|OBJECT] files...): a library with the host functions of kernel files
function(ascendc_library target)
    _aclnn_emulator_functions(${target})
    set(kind STATIC)
    set(translated "")
    foreach(word IN LISTS ARGN)
        if(word MATCHES "^(STATIC|SHARED|OBJECT)$")
            set(kind ${word})
        else()
            get_filename_component(name "${word}" NAME_WE)
            list(LENGTH translated number)
            set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}_${name}.cpp")
            _aclnn_emulator_translate(launchers ${target} "${output}" "${LINK}" "${word}")
            list(APPEND translated "${output}")
        endif()
    endforeach()
    add_library(${target} ${kind} ${translated} ${FUNCTIONS})
    target_compile_features(${target} PRIVATE cxx_std_17)
    target_include_directories(${target} PUBLIC "${ACLNN_EMULATOR_ROOT}/include")
    target_link_libraries(${target} PUBLIC "${ACLNN_EMULATOR_ROOT}/lib64/@LIBRARY@")
endfunction()

# ascendc_fatbin_library(target files...): a binary for aclrtBinaryLoadFromFile, installed as fatbin/target/target.o
function(ascendc_fatbin_library target)
    _aclnn_emulator_functions(${target})
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels.cpp")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/fatbin/${target}")
    _aclnn_emulator_translate(names ${target} "${source}" "" ${ARGN})
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
        OUTPUT "${folder}/${target}.o"
        COMMAND "${CMAKE_CXX_COMPILER}" -std=c++17 -g -fPIC -shared "-I${ACLNN_EMULATOR_ROOT}/include" "${source}"
                ${FUNCTIONS} -o "${folder}/${target}.o" "${ACLNN_EMULATOR_ROOT}/lib64/@LIBRARY@"
        DEPENDS "${source}" ${FUNCTIONS} ${ACL_EMULATOR_KERNELS}
        COMMENT "Building the binary ${target}"
        VERBATIM)
    add_custom_target(${target} ALL DEPENDS "${folder}/${target}.o")
    install(FILES "${folder}/${target}.o" DESTINATION "fatbin/${target}")
endfunction()

# the commands of Ascend C for folders and macros of a library
function(ascendc_include_directories target)
    get_target_property(kind ${target} TYPE)
    if(NOT kind STREQUAL UTILITY)
        target_include_directories(${target} ${ARGN})
    endif()
endfunction()

function(ascendc_compile_definitions target)
    get_target_property(kind ${target} TYPE)
    if(NOT kind STREQUAL UTILITY)
        target_compile_definitions(${target} ${ARGN})
    endif()
endfunction()

function(ascendc_compile_options) # options of the compiler for the device
endfunction()
