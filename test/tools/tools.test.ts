import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createWorkbench, gitIn, never, toolsIn, type Workbench } from '../fakes/workbench.ts'

let bench: Workbench
let workspace: Workspace
let call: ReturnType<typeof toolsIn>
beforeAll(async () => {
  bench = await createWorkbench()
})
beforeEach(async () => {
  workspace = await bench.workspaces.create('tools')
  call = toolsIn(bench, workspace)
})
afterAll(() => bench[Symbol.asyncDispose]())

const put = (path: string, content: string | Buffer) => writeFile(join(workspace.root, path), content)
const has = (path: string) => readFile(join(workspace.root, path), 'utf8')

describe('list_files', () => {
  it('marks folders and links, sorts, and leaves .git out', async () => {
    await mkdir(join(workspace.root, '.git'))
    await mkdir(join(workspace.root, 'b'))
    await put('c.txt', '')
    await symlink('c.txt', join(workspace.root, 'a'))
    expect(await call('list_files', {})).toMatchObject({ content: 'a@\nb/\nc.txt', failed: false })
    expect(await call('list_files', { path: 'b' })).toMatchObject({ content: 'The folder is empty.' })
  })
})

describe('read_file', () => {
  it('says what is missing, a folder, binary or not UTF-8', async () => {
    await mkdir(join(workspace.root, 'folder'))
    await put('binary', Buffer.from([1, 0, 2]))
    await put('latin1', Buffer.from([0xe4, 0x20]))
    const answers = ['none.txt', 'folder', 'binary', 'latin1'].map((path) => call('read_file', { path }))
    expect((await Promise.all(answers)).map(({ content, failed }) => [content, failed])).toEqual([
      ['none.txt does not exist', true],
      ['folder is a folder', true],
      ['binary is a binary file', true],
      ['latin1 is not UTF-8 text', true],
    ])
  })

  it('does not wait for a pipe', async () => {
    await call('run_command', { command: 'mkfifo', args: ['pipe'] })
    expect((await call('read_file', { path: 'pipe' })).content).toBe('pipe is not a regular file')
    expect((await call('write_file', { path: 'pipe', content: '' })).content).toBe(
      'pipe is not a regular file',
    )
  })

  it('cuts a large file between characters and says so', async () => {
    await put('large', 'ä'.repeat(200_000))
    const { content } = await call('read_file', { path: 'large' })
    expect(content).toMatch(/^ä{131072}\n\[cut: the file has 400000 bytes/)
  })
})

describe('write_file', () => {
  it('makes folders and replaces whole files', async () => {
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'long text' })).toMatchObject({
      content: 'Created a/b/c.txt, 9 bytes.',
    })
    expect(await call('write_file', { path: 'a/b/c.txt', content: 'ü' })).toMatchObject({
      content: 'Replaced a/b/c.txt, 2 bytes.',
    })
    expect(await has('a/b/c.txt')).toBe('ü')
  })

  it.each([
    ['CRLF keeps it', 'a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['CRLF gets no second CR', 'a\r\n', 'x\r\ny\n', 'x\r\ny\r\n'],
    ['mostly CRLF gets CRLF alone', 'a\r\nb\r\nc\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['CR keeps it', 'a\rb\r', 'x\ny\r\n', 'x\ry\r'],
    ['a byte order mark keeps it', '\uFEFFa\n', 'x\n', '\uFEFFx\n'],
    ['a byte order mark gets no second one', '\uFEFFa', '\uFEFFx\n', '\uFEFFx\n'],
    ['a byte order mark and CRLF keeps both', '\uFEFFa\r\n', 'x\n', '\uFEFFx\r\n'],
    ['a byte order mark alone keeps it', '\uFEFF', 'x\n', '\uFEFFx\n'],
    ['no byte order mark takes what is given', 'a', '\uFEFFx', '\uFEFFx'],
    ['LF takes what is given', 'a\nb\n', 'x\r\ny\n', 'x\r\ny\n'],
    ['one line takes what is given', 'a', 'x\ny\n', 'x\ny\n'],
    ['bytes takes what is given', '\0\r\n\r\n', 'x\ny\n', 'x\ny\n'],
  ])('over a file of %s', async (_file, text, content, written) => {
    await put('a.txt', text)
    expect(await call('write_file', { path: 'a.txt', content })).toMatchObject({
      content: `Replaced a.txt, ${Buffer.byteLength(written)} bytes.`,
    })
    expect(await has('a.txt')).toBe(written)
  })

  it('refuses a folder, and a folder below a file', async () => {
    await call('write_file', { path: 'a/b', content: '' })
    expect(await call('write_file', { path: 'a', content: '' })).toMatchObject({
      content: 'a is a folder',
      failed: true,
    })
    expect(await call('write_file', { path: 'a/b/c', content: '' })).toMatchObject({ failed: true })
  })
})

describe('edit_file', () => {
  it('replaces the one occurrence, byte for byte', async () => {
    await put('a.txt', '\uFEFFone\r\ntwo\r\n')
    expect(
      await call('edit_file', { path: 'a.txt', oldText: 'two', newText: "$& $1 $' zwei" }),
    ).toMatchObject({ failed: false })
    expect(await has('a.txt')).toBe("\uFEFFone\r\n$& $1 $' zwei\r\n")
  })

  it.each([
    ['a first line, after a byte order mark', '\uFEFFa\r\nb', 'a', 'x\n', '\uFEFFx\r\n\r\nb'],
    ['the byte order mark as part of the old text', '\uFEFFa\nb', '\uFEFFa\n', 'x\n', '\uFEFFx\nb'],
    ['a byte order mark in the new text alone', '\uFEFFa\n', 'a\n', '\uFEFFx\n', '\uFEFFx\n'],
    ['LF text in a CRLF file', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'a\nx\ny\n', 'a\r\nx\r\ny\r\nc\r\n'],
    ['CRLF text in an LF file', 'a\nb\nc\n', 'a\r\nb', 'a\r\nx\r\ny', 'a\nx\ny\nc\n'],
    ['LF text in a CR file', 'a\rb\rc', 'a\nb', 'a\nx\ny', 'a\rx\ry\rc'],
    ['unchanged lines of a mixed file', 'a\r\nb\nc\r\nd\r\n', 'a\nb\nc\n', 'a\nB\nc\n', 'a\r\nB\nc\r\nd\r\n'],
    ['a new line in a mixed file', 'a\nb\r\nc\r\nd\n\r\n', 'b', 'b\nB', 'a\nb\r\nB\r\nc\r\nd\n\r\n'],
    ['a line end alone', 'a\r\nb\r\n', 'a\nb', 'a b', 'a b\r\n'],
    ['the end of the text', 'a\r\nb', 'b', 'b\nc\n', 'a\r\nb\r\nc\r\n'],
    ['an empty new text', 'a\r\nb\r\nc', 'b\n', '', 'a\r\nc'],
    ['a text of one line', 'a', 'a', 'x\r\ny', 'x\r\ny'],
    ['repeated lines', 'a\r\na\r\nb\r\n', 'a\nb', 'a\na\nb', 'a\r\na\r\na\r\nb\r\n'],
  ])(
    'writes the line endings and the byte order mark of the file: %s',
    async (_title, text, oldText, newText, edited) => {
      await put('a.txt', text)
      expect(await call('edit_file', { path: 'a.txt', oldText, newText })).toMatchObject({ failed: false })
      expect(await has('a.txt')).toBe(edited)
    },
  )

  it.each([
    ['is there twice, with other line endings', 'a\nb a\r\nb', 'a\nb', /more than once/],
    ['is the new text but for its line endings', 'one', 'one\r\n', /does not occur/],
    ['is not there', 'abc', 'x', /does not occur/],
    ['is there twice', 'two two', 'two', /more than once/],
    ['overlaps itself', 'aaa', 'aa', /more than once/],
    ['is the new text', 'one', 'one', /the same/],
    ['is a byte order mark', '\uFEFFone', '\uFEFF', /more than once/],
    ['is empty', 'one', '', /do not fit: oldText/],
  ])('changes nothing when oldText %s', async (_, text, oldText, reason) => {
    await put('a.txt', text)
    const { content, failed } = await call('edit_file', { path: 'a.txt', oldText, newText: 'one' })
    expect(failed).toBe(true)
    expect(content).toMatch(reason)
    expect(await has('a.txt')).toBe(text)
  })
})

describe('search_files', () => {
  it('takes the query literally', async () => {
    await put('a.txt', 'a.c\nabc\n(a+)+$\n--files\n')
    const hits = async (query: string) => (await call('search_files', { query })).content
    expect(await hits('a.c')).toBe('a.txt:1:a.c')
    expect(await hits('(a+)+$')).toBe('a.txt:3:(a+)+$')
    expect(await hits('--files')).toBe('a.txt:4:--files')
    expect(await hits('nowhere')).toBe('Nothing found.')
  })

  it('looks into the given folder only, and never through a link', async () => {
    await mkdir(join(workspace.root, 'src'))
    await put('src/in.txt', 'needle')
    await put('out.txt', 'needle')
    await writeFile(join(bench.folder, 'beyond.txt'), 'needle')
    await symlink(bench.folder, join(workspace.root, 'src/up'))
    expect((await call('search_files', { query: 'needle', path: 'src' })).content).toBe('src/in.txt:1:needle')
  })

  it('shows at most 200 hits and says so', async () => {
    await put('many.txt', 'x\n'.repeat(500))
    const lines = (await call('search_files', { query: 'x' })).content.split('\n')
    expect(lines).toHaveLength(201)
    expect(lines.at(-1)).toMatch(/only the first 200/)
  })
})

describe('search_files in a workspace with odd files', () => {
  it('finds what can be read, and does not wait for a pipe', async () => {
    await using sandboxed = await createWorkbench({ sandboxed: true })
    const odd = await sandboxed.workspaces.create('odd')
    const tool = toolsIn(sandboxed, odd)
    await odd.write('odd/new\nline.txt', 'needle\n')
    const script = 'mkfifo odd/pipe; touch odd/locked; chmod 000 odd/locked; ln -s loop odd/loop'
    expect(await odd.run('sh', ['-ec', script], never)).toMatchObject({ exitCode: 0 })
    const search = (query: string, path: string) => tool('search_files', { query, path })
    expect((await search('needle', 'odd')).content).toBe('odd/new\nline.txt:1:needle')
    expect((await search('nowhere', 'odd')).content).toBe('Nothing found.')
    expect((await search('x', 'odd/pipe')).content).toBe('odd/pipe is not a regular file')
    expect((await search('x', 'none')).content).toBe('none does not exist')
    expect((await search('a\nb', '.')).content).toBe('Search for a text of one line.')
  })
})

describe('search_files and git', () => {
  const search = ['search_files', { query: 'needle' }] as const
  const status = ['git', { args: ['status'] }] as const
  it.each([
    ['.gitignore', 'mkfifo .gitignore', [search, status]],
    ['.gitignore', 'ln -s /dev/zero .gitignore', [search]],
    ['.gitattributes', 'mkfifo .gitattributes', [status]],
    [
      '.git/info/exclude',
      'rm -f .git/info/exclude; mkdir -p .git/info; mkfifo .git/info/exclude',
      [search, status],
    ],
    ['.git/index', 'mkfifo .git/index', [status]],
    ['.git/HEAD', 'rm .git/HEAD; mkfifo .git/HEAD', [status]],
    ['.git/config', 'rm .git/config; mkfifo .git/config', [status]],
    ['.git/refs/heads/main', 'mkfifo .git/refs/heads/main', [status]],
    ['.git', 'rm -r .git; mkfifo .git', [status]],
  ])('refuse a workspace whose %s is a pipe or a device: %s', async (path, script, calls) => {
    await gitIn(bench.git, workspace.root, 'init', '-q')
    await put('a.txt', 'needle')
    expect(await workspace.run('sh', ['-ec', script], never)).toMatchObject({ exitCode: 0 })
    for (const [name, input] of calls)
      expect(await call(name, input)).toMatchObject({
        content: `${path} is not a regular file: remove it first`,
        failed: true,
      })
  })

  it('do not refuse other pipes, and sockets of git', async () => {
    await gitIn(bench.git, workspace.root, 'init', '-q')
    await put('a.txt', 'needle')
    const socket = 'import socket; socket.socket(socket.AF_UNIX).bind(".git/fsmonitor--daemon.ipc")'
    const script = `mkfifo pipe; ln -s none .gitignore; mkdir .gitattributes; python3 -c '${socket}'`
    expect(await workspace.run('sh', ['-ec', script], never)).toMatchObject({ exitCode: 0 })
    expect((await call(...search)).content).toBe('a.txt:1:needle')
    expect(await call('git', { args: ['status', '--short'] })).toMatchObject({ failed: false })
  })
})

describe('run_command', () => {
  it('answers exit code, output and errors', async () => {
    await put('x.js', 'console.log("out"); console.error("err"); process.exit(3)')
    expect(await call('run_command', { command: 'node', args: ['x.js'] })).toMatchObject({
      content: 'Exit code 3.\nstdout:\nout\nstderr:\nerr',
      failed: true,
      decision: 'allowed',
    })
  })

  it('says that a program is missing', async () => {
    const { content } = await call('run_command', { command: 'no-such-program' })
    expect(content).toMatch(/^Exit code 127\.\nstderr:\nno-such-program: no such program/)
  })

  it('sends git to its own tool and a command line to args', async () => {
    expect((await call('run_command', { command: 'git', args: ['status'] })).content).toBe(
      'Use the git tool for git.',
    )
    expect((await call('run_command', { command: 'echo hi' })).content).toMatch(/arguments go into args/)
  })

  it('gives a command a clean environment', async () => {
    process.env.CANARY_SECRET = 'canary-77aa'
    try {
      const { content } = await call('run_command', { command: 'env' })
      const names = content
        .split('\n')
        .slice(2)
        .map((line) => line.split('=')[0])
      expect(names.sort()).toEqual(['HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR'])
      expect(content).toContain(`HOME=${workspace.home}`)
    } finally {
      delete process.env.CANARY_SECRET
    }
  })

  it.each([
    ['in whole lines', '123456789\\n', 10 * Math.floor((64 * 1_024) / 10)],
    ['without the end of a line that has none', '1234567890', 62 * 1_024],
  ])('keeps the first 64 kB of output %s, and says that it cut', async (_how, text, bytes) => {
    await put('x.js', `process.stdout.write("${text}".repeat(100_000)); console.error("all of it")`)
    const { content } = await call('run_command', { command: 'node', args: ['x.js'] })
    const [, stdout = ''] =
      /^Exit code 0\.\nstdout:\n(.*\n)stderr:\nall of it\n\[output cut\]$/s.exec(content) ?? []
    expect(stdout.length).toBe(text.includes('n') ? bytes : bytes + 1)
  })

  it('stops a command that takes too long', async () => {
    await using impatient = await createWorkbench({ commandTimeoutMs: 300 })
    const run = toolsIn(impatient, await impatient.workspaces.create('tools'))
    const { content, failed } = await run('run_command', { command: 'sleep', args: ['60'] })
    expect({ content, failed }).toEqual({ content: 'Stopped: the command took too long.', failed: true })
  })
})

describe('git', () => {
  it.each([
    ['-c', 'core.pager=touch pwned', 'log'],
    ['-C', 'src', 'status'],
    ['--exec-path=x', 'status'],
    ['--git-dir=x', 'status'],
    ['--upload-pack=x', 'status'],
    ['--config-env=a=B', 'status'],
    ['clone', 'x', 'y'],
    ['push', 'origin', 'main'],
    ['pull'],
    ['fetch', 'ext::x'],
    ['remote', 'add', 'x', 'y'],
    ['config', 'core.fsmonitor', 'x'],
    ['submodule', 'add', 'x'],
    ['rebase', '--exec', 'x', 'HEAD'],
    ['bisect', 'run', 'x'],
    ['grep', '--open-files-in-pager=x', 'y'],
    ['archive', '--remote=x', 'HEAD'],
    ['diff', '--ext-diff'],
    ['diff', '--ext'],
    ['diff', '--textconv'],
    ['diff', '--no-index', 'a', 'b'],
    ['diff', '--output=x'],
    ['diff', '--out=x'],
    ['diff', '--color=always'],
    ['log', '--show-signature'],
    ['log', '--line-prefix=x'],
    ['commit', '-Skey', '-m', 'x'],
    ['commit', '--gpg-sign', '-m', 'x'],
    ['commit', '--pathspec-from-file=x'],
    ['merge', '--strategy=x', 'HEAD'],
    ['merge', '-sx', 'HEAD'],
    ['tag', '-v', 'x'],
    ['show', 'ext::touch'],
    ['constructor'],
    ['__proto__'],
    [''],
  ])('refuses %s %s %s', async (...args) => {
    const { content, failed } = await call('git', { args })
    expect(failed).toBe(true)
    expect(content).toMatch(/not available/)
  })
})

describe('git in a repository', () => {
  beforeEach(async () => {
    await gitIn(bench.git, workspace.root, 'init', '-q')
    await gitIn(bench.git, workspace.root, 'commit', '-q', '--allow-empty', '-m', 'Start')
  })

  it('does local work', async () => {
    await put('a.txt', 'one\n')
    await call('git', { args: ['add', 'a.txt'] })
    expect(await call('git', { args: ['commit', '-m', 'Add a.txt: one file'] })).toMatchObject({
      failed: false,
    })
    expect((await call('git', { args: ['log', '--oneline', 'HEAD~1..HEAD'] })).content).toMatch(
      /Add a.txt: one file/,
    )
  })

  it('runs no hook of the repository', async () => {
    const hook = join(workspace.root, '.git/hooks/post-commit')
    await mkdir(join(workspace.root, '.git/hooks'), { recursive: true })
    await writeFile(hook, '#!/bin/sh\ntouch hooked\n')
    await chmod(hook, 0o755)
    expect(await call('git', { args: ['commit', '--allow-empty', '-m', 'x'] })).toMatchObject({
      failed: false,
    })
    await expect(has('hooked')).rejects.toThrow('ENOENT')
  })

  it('never acts on a repository around the workspace', async () => {
    await gitIn(bench.git, bench.folder, 'init', '-q')
    const bare = await bench.workspaces.create('bare')
    const { content } = await toolsIn(bench, bare)('git', { args: ['status'] })
    expect(content).toMatch(/not a git repository/)
  })
})
