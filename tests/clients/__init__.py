"""Programs of others, unmodified: `.ci/run` runs each folder by name.

Their sources and wheels are downloaded by pip, pinned by version and hash. Downloads and builds are kept in a folder
outside the clone (`ACLNN_CLIENTS`, by default ~/.cache/aclnn-emulator/clients), so only the first run needs a network.
"""
