# The facts of a package for one system, with the few functions of nixpkgs that it uses. fetchurl is the one of Nix itself, so `src` can be built.
{ file, system }:
let
  isLinux = builtins.match ".*-linux" system != null;
  fetchurl =
    { url, hash }:
    derivation {
      name = baseNameOf url;
      builder = "builtin:fetchurl";
      system = "builtin";
      outputHash = hash;
      outputHashAlgo = null;
      outputHashMode = "flat";
      inherit url;
      urls = [ url ];
      executable = false;
      unpack = false;
    };
  package = import file {
    lib = {
      attrNames = builtins.attrNames;
      getLicenseFromSpdxId = identifier: identifier;
      sourceTypes.binaryNativeCode = "binaryNativeCode";
    };
    stdenvNoCC = {
      hostPlatform = { inherit system isLinux; };
      mkDerivation = attributes: attributes // { outPath = "${attributes.src}"; };
    };
    buildFHSEnv = attributes: attributes;
    inherit fetchurl;
  };
in
package
// {
  # In the FHS environment, the path of the executable starts with that of the download.
  src = if isLinux then package.runScript else "${package.src}";
}
