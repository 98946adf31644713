'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');

const manifest = require('../package.json');
const { COMMANDS, findServer, findTool, run } = require('../lib/tools');

const root = path.join(__dirname, '..');

/** Writes a program of the shell into a new directory. Returns the directory. */
function directoryWith(name, script) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'spyre-'));
  fs.writeFileSync(path.join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return directory;
}

/** Activates the extension in an editor that records calls. Returns the record. */
async function activate(configuration, editor) {
  const record = { commands: new Map(), documents: [], panels: [], errors: [], clients: [], log: [] };
  const channel = { error: (line) => record.log.push(line), show() {}, dispose() {} };
  class LanguageClient {
    constructor(...words) {
      record.clients.push(words);
    }
    async start() {}
    async stop() {}
  }
  const vscode = {
    ViewColumn: { Beside: -2 },
    commands: { registerCommand: (name, callback) => record.commands.set(name, callback) },
    window: {
      activeTextEditor: editor,
      createOutputChannel: (_, options) => {
        // The language client reads the level of its channel, which other channels do not have.
        assert.equal(options.log, true);
        return channel;
      },
      showErrorMessage: (message) => record.errors.push(message),
      showTextDocument: async () => {},
      createWebviewPanel: (...words) => {
        const panel = { words, webview: {} };
        record.panels.push(panel);
        return panel;
      },
    },
    workspace: {
      workspaceFolders: [],
      getConfiguration: () => ({ get: (key) => configuration[key] }),
      onDidChangeConfiguration: () => {},
      openTextDocument: async (document) => record.documents.push(document),
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name === 'vscode') return vscode;
    if (name === 'vscode-languageclient/node') return { LanguageClient };
    return load(name, ...rest);
  };
  try {
    delete require.cache[require.resolve('../extension')];
    await require('../extension').activate({ subscriptions: [] });
  } finally {
    Module._load = load;
  }
  return record;
}

function editorOf(text, languageId = 'mlir') {
  return { document: { languageId, isUntitled: true, fileName: 'Untitled-1', getText: () => text } };
}

test('the manifest names files that exist', () => {
  const { languages, grammars } = manifest.contributes;
  const files = [manifest.main, ...languages.map((it) => it.configuration), ...grammars.map((it) => it.path)];
  for (const file of files) assert.ok(fs.existsSync(path.join(root, file)), file);
  for (const { path: file } of grammars) JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
});

test('grammars have the scope of the manifest', () => {
  for (const { path: file, scopeName } of manifest.contributes.grammars) {
    assert.equal(JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).scopeName, scopeName);
  }
});

test('versions of packages are exact', () => {
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const [name, version] of Object.entries(packages)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
});

test('the engine is that of the language client', () => {
  // The package does not export this file.
  const file = path.join(root, 'node_modules/vscode-languageclient/package.json');
  const client = JSON.parse(fs.readFileSync(file, 'utf8'));
  assert.equal(manifest.engines.vscode, client.engines.vscode);
});

test('every command of the manifest is registered, and no other', async () => {
  const record = await activate({ 'server.enabled': false });
  const names = manifest.contributes.commands.map((it) => it.command);
  assert.deepEqual([...record.commands.keys()].sort(), names.sort());
  for (const menu of Object.values(manifest.contributes.menus)) {
    for (const { command } of menu) assert.ok(names.includes(command), command);
  }
});

test('every setting that the extension reads is in the manifest', () => {
  const source = fs.readFileSync(path.join(root, 'extension.js'), 'utf8');
  const keys = [...source.matchAll(/\.get\('([\w.]+)'\)/g)].map((match) => `spyre.${match[1]}`);
  const settings = Object.keys(manifest.contributes.configuration.properties);
  assert.deepEqual([...new Set(keys)].sort(), settings.sort());
});

test('a tool is that of the setting, then that of the PATH', () => {
  const first = directoryWith('spyre-opt', 'true');
  const second = directoryWith('spyre-opt', 'true');
  const none = { toolsDirectory: '', serverPath: '' };
  const searchPath = `/nowhere${path.delimiter}${second}`;
  assert.equal(findTool('spyre-opt', { ...none, toolsDirectory: first }, [], searchPath), path.join(first, 'spyre-opt'));
  assert.equal(findTool('spyre-opt', none, [], searchPath), path.join(second, 'spyre-opt'));
  const relative = { ...none, toolsDirectory: path.basename(first) };
  assert.equal(findTool('spyre-opt', relative, [path.dirname(first)], ''), path.join(first, 'spyre-opt'));
  assert.throws(() => findTool('spyre-opt', { ...none, toolsDirectory: '/nowhere' }, [], searchPath), /spyre.toolsDirectory/);
  assert.throws(() => findTool('spyre-opt', none, [], ''), /PATH/);
  const server = { ...none, serverPath: '/nowhere/server' };
  assert.throws(() => findTool('spyre-lsp-server', server, [], ''), /spyre.server.path/);
});

test('the server starts where there is one', async () => {
  const toolsDirectory = directoryWith('spyre-lsp-server', 'true');
  const record = await activate({ 'server.enabled': true, toolsDirectory });
  assert.equal(record.clients.length, 1);
  assert.deepEqual(record.clients[0][2].run, { command: path.join(toolsDirectory, 'spyre-lsp-server') });
  const without = await activate({ 'server.enabled': true, toolsDirectory: '/nowhere' });
  assert.equal(without.clients.length, 0);
  assert.match(without.log[0], /spyre.toolsDirectory/);
});

test('the server of the Python package is spyre lsp', () => {
  const server = directoryWith('spyre-lsp-server', 'true');
  const python = directoryWith('spyre', 'true');
  const none = { toolsDirectory: '', serverPath: '' };
  const searchPath = [python, server].join(path.delimiter);
  const spyre = { command: path.join(python, 'spyre'), args: ['lsp'] };
  assert.deepEqual(findServer(none, [], searchPath), { command: path.join(server, 'spyre-lsp-server') });
  assert.deepEqual(findServer(none, [], python), spyre);
  assert.deepEqual(findServer({ ...none, serverPath: spyre.command }, [], searchPath), spyre);
  assert.throws(() => findServer({ ...none, toolsDirectory: '/nowhere' }, [], python), /spyre.toolsDirectory/);
  assert.throws(() => findServer(none, [], '/nowhere'), /PATH, and neither is spyre/);
});

test('the server is started again by its command', async () => {
  const toolsDirectory = directoryWith('spyre-lsp-server', 'true');
  const record = await activate({ 'server.enabled': true, toolsDirectory });
  await record.commands.get('spyre.restartServer')();
  assert.equal(record.clients.length, 2);
});

test('explain opens the messages of the tool', async () => {
  const toolsDirectory = directoryWith('spyre-opt', 'cat > /dev/null; echo "<stdin>:3:1: remark: the plan ($*)" >&2');
  const record = await activate({ 'server.enabled': false, toolsDirectory }, editorOf('module {}\n'));
  await record.commands.get('spyre.explain')();
  const content = 'Untitled-1:3:1: remark: the plan (--coarse-tile=dry-run - -o /dev/null)\n';
  assert.deepEqual(record.documents, [{ content, language: 'plaintext' }]);
});

test('a program without hints is explained in words', async () => {
  const toolsDirectory = directoryWith('spyre-opt', 'cat > /dev/null');
  const record = await activate({ 'server.enabled': false, toolsDirectory }, editorOf('module {}\n'));
  await record.commands.get('spyre.explain')();
  assert.match(record.documents[0].content, /^No operation has a hint/);
});

test('tile opens the output of the tool', async () => {
  const toolsDirectory = directoryWith('spyre-opt', 'echo "// $*"; cat');
  const configuration = { 'server.enabled': false, toolsDirectory, 'tile.passes': ['--coarse-tile'] };
  const record = await activate(configuration, editorOf('module {}\n'));
  await record.commands.get('spyre.tile')();
  assert.deepEqual(record.documents, [{ content: '// --coarse-tile -\nmodule {}\n', language: 'mlir' }]);
});

test('a refused program is a message, and opens no editor', async () => {
  const toolsDirectory = directoryWith('spyre-opt', 'echo "<stdin>:1:1: error: no" >&2; exit 1');
  const configuration = { 'server.enabled': false, toolsDirectory, 'tile.passes': [] };
  const record = await activate(configuration, editorOf('x'));
  await record.commands.get('spyre.tile')();
  assert.deepEqual(record.documents, []);
  assert.deepEqual(record.errors, ['Spyre: Untitled-1:1:1: error: no']);
  const other = await activate(configuration, editorOf('x', 'plaintext'));
  await other.commands.get('spyre.tile')();
  assert.equal(other.errors.length, 1);
});

test('a plan is a page without scripts', async () => {
  const toolsDirectory = directoryWith('spyre-translate', 'echo "<p>plan</p>"');
  const record = await activate({ 'server.enabled': false, toolsDirectory }, editorOf('module {}'));
  await record.commands.get('spyre.viewPlan')();
  assert.equal(record.panels[0].webview.html, '<p>plan</p>\n');
  assert.equal(record.panels[0].words[3].enableScripts, undefined);
});

// With the tools of a build: SPYRE_BIN_DIR=target/debug npm test.
test('the real tools have these options', { skip: !process.env.SPYRE_BIN_DIR }, async () => {
  const example = fs.readFileSync(path.join(root, '../../examples/add_mul.mlir'), 'utf8');
  const settings = { toolsDirectory: path.resolve(process.env.SPYRE_BIN_DIR), serverPath: '' };
  const result = (command, ...options) => {
    const [tool, args] = COMMANDS[command](...options);
    return run(findTool(tool, settings, [], ''), args, example, root, 'add_mul.mlir');
  };
  assert.match((await result('tile', ['--coarse-tile'])).output, /scf\.for/);
  assert.match((await result('explain')).messages, /add_mul\.mlir:3:1: remark: coarse-tile: the plan/);
  const page = (await result('viewPlan')).output;
  assert.match(page, /^<!DOCTYPE html>/);
  assert.doesNotMatch(page, /<script/);
});
