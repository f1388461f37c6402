#!/usr/bin/env node
// `npx patchloom COMMAND`: runs a command in Deno, which npm installs beside this package, with the permissions of its task.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { closest } from "fastest-levenshtein";

const ROOT = new URL("../../", import.meta.url);
const { version, tasks } = JSON.parse(readFileSync(new URL("deno.json", ROOT), "utf8"));

/** The path of Deno's executable. */
function denoPath() {
  if (globalThis.Deno) return globalThis.Deno.execPath();
  // Also where npm was told to run no install scripts: it finds the executable of this system among Deno's packages.
  return createRequire(import.meta.url)("deno/install_api.cjs").runInstall();
}

/**
 * The folder of the sources: a copy in the user's cache folder. Deno reads no TypeScript in its own cache of npm packages, where
 * `deno run npm:patchloom` puts this one, and it writes its lock file beside the sources, which fails in a package that another user
 * installed. Without a cache folder it is this package.
 */
function sources() {
  const { sources } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "patchloom");
  const copy = join(folder, `command-${version}-${sources}`), part = `${copy}.${process.pid}`;
  try {
    if (!existsSync(copy)) {
      mkdirSync(folder, { recursive: true });
      cpSync(fileURLToPath(ROOT), part, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
      renameSync(part, copy);
    }
    return pathToFileURL(`${copy}/`);
  } catch {
    // Another process may have made it meanwhile.
    rmSync(part, { recursive: true, force: true });
    return existsSync(copy) ? pathToFileURL(`${copy}/`) : ROOT;
  }
}

/** The list of commands. */
function help() {
  const names = Object.keys(tasks), width = Math.max(...names.map((name) => name.length));
  return [
    `patchloom ${version}: image synthesis by randomized patch-matching`,
    "",
    "Usage: patchloom COMMAND [FLAGS]; patchloom COMMAND --help lists the flags",
    "",
    ...names.map((name) => `  ${name.padEnd(width)}  ${tasks[name].description}`),
  ].join("\n");
}

/** Runs a command to its end. The process then ends as the command did, with its exit code or by its signal. */
function run(name, args) {
  // "deno run FLAGS FILE NAME": FILE is a path below the root.
  const [, ...words] = tasks[name].command.split(" "), root = sources();
  const located = words.map((word) => word.endsWith(".ts") ? fileURLToPath(new URL(word, root)) : word);
  const config = fileURLToPath(new URL("deno.json", root)), flags = ["--config", config];
  // Otherwise Deno would take the dependency in package.json, which is Deno itself, for one of the command's.
  const env = { ...process.env, DENO_NO_PACKAGE_JSON: "1" };
  const child = spawn(denoPath(), [located[0], ...flags, ...located.slice(1), ...args], { stdio: "inherit", env });
  // This process waits for what the command still writes. Ctrl-C in a terminal reaches the command as well, which counts both as one.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", ({ message }) => fail(1, `Cannot start Deno: ${message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(code, sentence) {
  console.error(sentence);
  process.exit(code);
}

/** Returns `help synth` as `synth --help`, and `help` as `--help`. */
function helpLast(words) {
  return words[0] === "help" ? [...words.slice(1), "--help"] : words;
}

const [name, ...args] = helpLast(process.argv.slice(2));
if (name === undefined || name === "--help" || name === "-h") console.log(help());
else if (name === "--version") console.log(version);
else if (!Object.hasOwn(tasks, name)) {
  const names = Object.keys(tasks), nearest = closest(name, names);
  fail(2, `There is no command ${JSON.stringify(name)}; nearest: "${nearest}" (valid: ${names.join(", ")})`);
} else {
  try {
    run(name, args);
  } catch ({ message }) {
    fail(1, `Cannot start Deno: ${message.split("\n")[0]}`);
  }
}
