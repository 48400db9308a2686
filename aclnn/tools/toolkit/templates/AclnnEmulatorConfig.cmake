get_filename_component(AclnnEmulator_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(AclnnEmulator_INCLUDE_DIRS "${AclnnEmulator_ROOT}/include" "${AclnnEmulator_ROOT}/include/aclnn"
    "${AclnnEmulator_ROOT}/include/aclnnop")
set(AclnnEmulator_LIBRARIES "${AclnnEmulator_ROOT}/lib64/@LIBRARY@")
if(NOT TARGET AclnnEmulator::ascendcl)
    add_library(AclnnEmulator::ascendcl SHARED IMPORTED)
    set_target_properties(AclnnEmulator::ascendcl PROPERTIES
        IMPORTED_LOCATION "${AclnnEmulator_LIBRARIES}"
        INTERFACE_INCLUDE_DIRECTORIES "${AclnnEmulator_INCLUDE_DIRS}")
endif()
