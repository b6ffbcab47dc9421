{
  lib,
  stdenvNoCC,
  fetchurl,
  buildFHSEnv,
}:

let
  pname = "{{name}}";
  version = "{{version}}";

  sources = {
{{sources}}
  };

  inherit (stdenvNoCC.hostPlatform) system;

  meta = {
    description = "{{description}}";
    homepage = "{{homepage}}";
    license = lib.getLicenseFromSpdxId "{{license}}";
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
    platforms = lib.attrNames sources;
    mainProgram = "{{program}}";
    maintainers = [ ];
  };

  # The executable reads data from fixed positions after its code. patchelf, strip and install_name_tool would move or remove the data.
  executable = stdenvNoCC.mkDerivation {
    pname = "${pname}-executable";
    inherit version meta;
    src = fetchurl (sources.${system} or (throw "${pname} has no executable for ${system}"));
    dontUnpack = true;
    dontFixup = true;
    installPhase = ''
      runHook preInstall
      install -D -m 755 $src $out/bin/{{program}}
      runHook postInstall
    '';
  };
in
if stdenvNoCC.hostPlatform.isLinux then
  # The executable needs the loader, glibc and libstdc++ at the usual paths.
  buildFHSEnv {
    inherit pname version meta;
    executableName = "{{program}}";
    targetPkgs = pkgs: [ pkgs.stdenv.cc.cc.lib ];
    runScript = "${executable}/bin/{{program}}";
  }
else
  executable
