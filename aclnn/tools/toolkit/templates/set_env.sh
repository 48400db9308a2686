# written by aclnn.tools.toolkit: source it
if [ -n "${BASH_SOURCE:-}" ]; then
    _aclnn="$BASH_SOURCE"
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_aclnn="${(%):-%x}"'
else # this shell has no variable for the name of the sourced file, but it has the file open
    _aclnn=""
    read -r _aclnn_pid _aclnn_file < /proc/self/stat
    for _aclnn_file in "/proc/$_aclnn_pid/fd"/*; do
        _aclnn_file="$(readlink "$_aclnn_file" || :)"
        case "$_aclnn_file" in
            */set_env.sh) _aclnn="$_aclnn_file" ;;
        esac
    done
    unset _aclnn_pid _aclnn_file
fi
_aclnn="$(CDPATH= cd -- "$(dirname -- "${_aclnn:-.}")" && pwd)"
[ -f "$_aclnn/lib64/@LIBRARY@" ] || _aclnn="${_aclnn%/*}" # sourced as bin/setenv.bash
[ -f "$_aclnn/lib64/@LIBRARY@" ] || _aclnn=@DIRECTORY@
@EXPORTS@export ASCEND_OPP_PATH="$_aclnn/opp"
export ASCEND_CUSTOM_PATH="$_aclnn"
export NPU_HOST_LIB="$_aclnn/lib64"
export ASCENDC_CMAKE_DIR="$_aclnn/tikcpp/ascendc_kernel_cmake"
export SOC_VERSION="${SOC_VERSION:-${ACL_EMULATOR_SOC:-@SOC@}}"
export PATH="$_aclnn/bin${PATH:+:$PATH}"
export LD_LIBRARY_PATH="$_aclnn/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CMAKE_PREFIX_PATH="$_aclnn${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export LSAN_OPTIONS="suppressions=\"$_aclnn/lsan.supp\":print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export TSAN_OPTIONS="suppressions=\"$_aclnn/tsan.supp\"${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
unset _aclnn
