class {{class}} < Formula
  desc "{{description}}"
  homepage "{{homepage}}"
  version "{{version}}"
  license "{{license}}"

{{downloads}}

  def install
    bin.install Dir["{{program}}-*"].first => "{{program}}"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/{{program}} version")
  end
end
