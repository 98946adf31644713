// The tools of spyre-mlir: where they are, and the command line of each command. Without the editor, so that tests run in Node.
'use strict';

const childProcess = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/** Returns the paths of a file in the directories of a search path that are executable. */
function onPath(name, searchPath) {
  const directories = (searchPath || '').split(path.delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => path.join(directory, name)).filter(isExecutable);
}

function isExecutable(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns the path of a tool.
 *
 * `settings` has `toolsDirectory`, and for the server `serverPath`; relative ones are looked up in each of `folders`, the
 * folders of the workspace. Throws an error that names the setting if there is none.
 */
function findTool(name, settings, folders, searchPath) {
  const server = name === 'spyre-lsp-server' ? settings.serverPath : '';
  const setting = server || (settings.toolsDirectory && path.join(settings.toolsDirectory, name));
  if (setting) {
    const candidates = path.isAbsolute(setting) ? [setting] : folders.map((folder) => path.join(folder, setting));
    const tool = candidates.find(isExecutable);
    if (tool) return tool;
    const which = server ? 'spyre.server.path' : 'spyre.toolsDirectory';
    throw new Error(`${which}: there is no program ${candidates.join(', ') || setting}`);
  }
  const [tool] = onPath(name, searchPath);
  if (tool) return tool;
  const other = name === 'spyre-lsp-server' ? ', and neither is spyre of the Python package' : '';
  throw new Error(`${name} is not on the PATH${other}; set spyre.toolsDirectory to its directory`);
}

/**
 * Returns the command line of the language server: `command`, and `args` where it needs any. It is `spyre-lsp-server`, or else
 * `spyre lsp` of the Python package, which the setting may name as well. The parameters and errors are those of `findTool`.
 */
function findServer(settings, folders, searchPath) {
  const commandLine = (command) => (path.basename(command) === 'spyre' ? { command, args: ['lsp'] } : { command });
  try {
    return commandLine(findTool('spyre-lsp-server', settings, folders, searchPath));
  } catch (error) {
    // A setting names a tool, so its error is the one to show.
    const [spyre] = settings.serverPath || settings.toolsDirectory ? [] : onPath('spyre', searchPath);
    if (spyre) return commandLine(spyre);
    throw error;
  }
}

/** The tool and the arguments of each command; all read the program from standard input. */
const COMMANDS = {
  tile: (passes) => ['spyre-opt', [...passes, '-']],
  // The plan of the tiles is a remark at each function, and the program itself is not printed.
  explain: () => ['spyre-opt', ['--coarse-tile=dry-run', '-', '-o', '/dev/null']],
  viewPlan: () => ['spyre-translate', ['--emit-plan-html', '-']],
};

/**
 * Runs a tool on a text, in a directory. Returns its standard output and its messages, in which `<stdin>` is the name of the
 * file. Throws an error with the messages if the tool refuses the program.
 */
function run(tool, args, text, directory, name) {
  return new Promise((resolve, reject) => {
    const child = childProcess.spawn(tool, args, { cwd: directory });
    const output = [];
    const messages = [];
    child.stdout.on('data', (data) => output.push(data));
    child.stderr.on('data', (data) => messages.push(data));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const printed = Buffer.concat(messages).toString().replaceAll('<stdin>', name);
      if (code === 0) resolve({ output: Buffer.concat(output).toString(), messages: printed });
      else reject(new Error(printed || `${path.basename(tool)} ended with ${signal || `exit code ${code}`}`));
    });
    // A tool that ends before it has read its input has an exit code, which is the message.
    child.stdin.on('error', () => {});
    child.stdin.end(text);
  });
}

module.exports = { COMMANDS, findServer, findTool, run };
