// The extension: the client of spyre-lsp-server, and commands that run the tools on the program in the editor.
'use strict';

const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');
const { COMMANDS, findServer, findTool, run } = require('./lib/tools');

let client;
let log;

/** Returns the parameters of a search for tools: the settings, the folders of the workspace and the PATH. */
function places() {
  const settings = vscode.workspace.getConfiguration('spyre');
  const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri.fsPath);
  const paths = { toolsDirectory: settings.get('toolsDirectory'), serverPath: settings.get('server.path') };
  return [paths, folders, process.env.PATH];
}

async function startServer() {
  await stopServer();
  if (!vscode.workspace.getConfiguration('spyre').get('server.enabled')) return;
  let executable;
  try {
    // Without a transport: with one, the client adds `--stdio`, which MLIR's server refuses. Both use standard input and output.
    executable = findServer(...places());
  } catch (error) {
    // Highlighting works without a server: a line in the log, and no message for each window.
    log.error(error.message);
    return;
  }
  const options = {
    documentSelector: [{ language: 'mlir' }],
    outputChannel: log,
  };
  client = new LanguageClient('spyre', 'Spyre MLIR', { run: executable, debug: executable }, options);
  await client.start();
}

async function stopServer() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

/** Runs the tool of a command on the program in the editor. Returns `undefined` after an error, which the log has. */
async function runOnEditor(command, ...options) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== 'mlir') {
    vscode.window.showErrorMessage('Spyre: there is no program of MLIR in the editor.');
    return undefined;
  }
  const document = editor.document;
  const directory = document.isUntitled ? undefined : path.dirname(document.fileName);
  const name = path.basename(document.fileName);
  try {
    const [program, args] = COMMANDS[command](...options);
    // The text of the editor, which may not be saved.
    return { name, ...(await run(findTool(program, ...places()), args, document.getText(), directory, name)) };
  } catch (error) {
    log.error(error.message);
    log.show(true);
    vscode.window.showErrorMessage(`Spyre: ${error.message.split('\n')[0]}`);
    return undefined;
  }
}

async function showText(content, language) {
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
}

async function tile() {
  const passes = vscode.workspace.getConfiguration('spyre').get('tile.passes');
  const result = await runOnEditor('tile', passes);
  if (result) await showText(result.output, 'mlir');
}

async function explain() {
  const result = await runOnEditor('explain');
  if (result) await showText(result.messages || 'No operation has a hint: there is nothing to tile.\n', 'plaintext');
}

async function viewPlan() {
  const result = await runOnEditor('viewPlan');
  if (!result) return;
  // The page has no scripts, and its pictures are in it.
  const panel = vscode.window.createWebviewPanel('spyrePlan', `Plan of ${result.name}`, vscode.ViewColumn.Beside, {
    enableFindWidget: true,
  });
  panel.webview.html = result.output;
}

async function activate(context) {
  log = vscode.window.createOutputChannel('Spyre MLIR', { log: true });
  const register = (name, callback) => vscode.commands.registerCommand(name, callback);
  context.subscriptions.push(
    log,
    register('spyre.tile', tile),
    register('spyre.explain', explain),
    register('spyre.viewPlan', viewPlan),
    register('spyre.restartServer', startServer),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('spyre.server') || event.affectsConfiguration('spyre.toolsDirectory')) startServer();
    }),
  );
  await startServer();
}

module.exports = { activate, deactivate: stopServer };
