import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { linkSync } from 'node:fs'
import {
  access,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { sweepWorkspaces } from '../../lib/adapters/node/workspace-sweep.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createWorkbench, never, type Workbench } from '../fakes/workbench.ts'

const HOUR_MS = 3_600_000

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('workspaces', () => {
  it('are made anew by create and kept by open', async () => {
    await using bench = await createWorkbench()
    const first = await bench.workspaces.create('task_1-1')
    await first.write('a.txt', 'a')
    const again = await bench.workspaces.open('task_1-1')
    expect(await again.read('a.txt', 10)).toMatchObject({ text: 'a' })
    const anew = await bench.workspaces.create('task_1-1')
    await expect(anew.read('a.txt', 10)).rejects.toMatchObject({ code: 'path_missing' })
  })

  it.each(['', '.', '..', 'a/b', '../a', '-rf', 'a\0', 'a'.repeat(200)])('are not named %j', async (name) => {
    await using bench = await createWorkbench()
    await expect(bench.workspaces.create(name)).rejects.toMatchObject({ code: 'workspace_name_invalid' })
  })
})

describe.each([false, true])('a packed workspace, in a sandbox: %j', (sandboxed) => {
  const filled = async (bench: Workbench) => {
    const workspace = await bench.workspaces.create('conv_1')
    await workspace.write('src/a b\nc.txt', 'ä')
    await writeFile(join(workspace.root, 'run.sh'), '#!/bin/sh', { mode: 0o755 })
    await writeFile(join(workspace.root, '-rf'), 'a name like an option')
    await writeFile(join(workspace.root, '.env'), 'KEY=1')
    await mkdir(join(workspace.root, '.ssh'))
    await mkdir(join(workspace.root, 'empty'))
    await symlink('/etc/passwd', join(workspace.root, 'link'))
    await writeFile(join(workspace.home, 'cache'), 'not of the work')
    return workspace
  }

  it('is the same elsewhere, but for credentials, and follows no link', async () => {
    await using bench = await createWorkbench({ sandboxed })
    await filled(bench)
    const { archive, leftOut } = await bench.workspaces.pack('conv_1', never)
    expect(leftOut).toEqual([])
    const { root } = await bench.workspaces.open('conv_2')
    await writeFile(join(root, 'older.txt'), 'of an older turn')
    await bench.workspaces.unpack('conv_2', archive, never)
    const names = await readdir(root, { recursive: true })
    expect(names.sort()).toEqual(['-rf', 'empty', 'link', 'run.sh', 'src', 'src/a b\nc.txt'])
    expect(await readFile(join(root, 'src/a b\nc.txt'), 'utf8')).toBe('ä')
    expect((await stat(join(root, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(await readlink(join(root, 'link'))).toBe('/etc/passwd')
    const again = await bench.workspaces.open('conv_2')
    await again.write('src/a b\nc.txt', 'changed')
    await bench.workspaces.unpack('conv_2', undefined, never)
    expect(await readdir(root)).toEqual([])
  })
})

/** What a program may leave in a workspace that is packed, and what of it is left out. */
const oddWorkspace = `
  mkdir folder locked noted; echo kept > folder/file; echo x > locked/x; echo x > unread
  python3 -c 'for name in [b"caf\\xe9", b"n" * 255, b"new\\nline"]: open(name, "w").write("kept")'
  mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
  ln -s loop loop; git init -q sub; touch sub/.git/index.lock; truncate -s 1M sparse
  chmod 000 unread locked; chmod 400 noted; chmod 500 folder; chmod 000 .`

describe('a packed workspace with odd files', () => {
  it('is whole but for those that cannot be read or are no files, which it names', async () => {
    await using bench = await createWorkbench({ sandboxed: true })
    const { run } = await bench.workspaces.create('conv_1')
    expect(await run('sh', ['-ec', oddWorkspace], never)).toMatchObject({ exitCode: 0 })
    const { archive, leftOut } = await bench.workspaces.pack('conv_1', never)
    const isRoot = process.getuid?.() === 0 && 'cause' in bench.found
    expect(leftOut.map(({ path, reason }) => `${path} ${reason}`).toSorted()).toEqual([
      ...(isRoot ? [] : ['locked unreadable', 'noted unreadable']),
      ...['pipe special', 'socket special'],
      ...(isRoot ? [] : ['unread unreadable']),
    ])
    await bench.workspaces.unpack('conv_2', archive, never)
    const { root } = await bench.workspaces.open('conv_2')
    const names = (await readdir(root, 'latin1')).toSorted()
    expect(names).toEqual(
      expect.arrayContaining(['caf\xe9', 'folder', 'loop', 'n'.repeat(255), 'new\nline', 'sparse', 'sub']),
    )
    expect(await readFile(join(root, 'folder/file'), 'utf8')).toBe('kept\n')
    // The files can be removed and packed again.
    await bench.workspaces.unpack('conv_2', archive, never)
    expect((await bench.workspaces.pack('conv_2', never)).leftOut).toEqual([])
  })
})

describe('a workspace', () => {
  it.each([
    ['bytes', (root: string) => truncate(join(root, 'large'), 64 * 1_048_576 + 1)],
    ['bytes when compressed', (root: string) => writeFile(join(root, 'large'), randomBytes(12_000_000))],
    [
      'files',
      async (root: string) => {
        // Links are made and removed faster than folders.
        for (let n = 0; n <= 20_000; n++) linkSync(join(root, 'large'), join(root, String(n)))
      },
    ],
  ])('is not packed where it has too many %s', async (_, fill) => {
    await using bench = await createWorkbench()
    const { root } = await bench.workspaces.create('conv_1')
    await writeFile(join(root, 'large'), '')
    await fill(root)
    await expect(bench.workspaces.pack('conv_1', never)).rejects.toMatchObject({
      code: 'workspace_too_large',
    })
  })

  it('has the mark that it was given, which opening keeps and removing takes away', async () => {
    await using bench = await createWorkbench()
    expect(await bench.workspaces.marked('conv_1')).toBeUndefined()
    await bench.workspaces.open('conv_1')
    await bench.workspaces.mark('conv_1', 'v1')
    await bench.workspaces.open('conv_1')
    expect(await bench.workspaces.marked('conv_1')).toBe('v1')
    await bench.workspaces.mark('conv_1', undefined)
    expect(await bench.workspaces.marked('conv_1')).toBeUndefined()
    await bench.workspaces.mark('conv_1', 'v2')
    for (let n = 0; n < 2; n++) await bench.workspaces.remove('conv_1')
    expect(await isThere(join(bench.dir, 'conv_1'))).toBe(false)
    expect(await bench.workspaces.marked('conv_1')).toBeUndefined()
  })

  it('has a whole mark while another one is written', async () => {
    await using bench = await createWorkbench()
    await bench.workspaces.open('conv_1')
    const marks = ['a', 'b'].map((letter) => letter.repeat(1_000_000))
    await bench.workspaces.mark('conv_1', marks[0])
    for (let n = 0; n < 15; n++) {
      const [, ...read] = await Promise.all([
        bench.workspaces.mark('conv_1', marks[n % 2]),
        ...Array.from({ length: 4 }, () => bench.workspaces.marked('conv_1')),
      ])
      expect(read.map((mark) => marks.includes(mark ?? ''))).toEqual([true, true, true, true])
    }
  })
})

describe('sweepWorkspaces', () => {
  it('removes what was last opened before the time to live, and follows no link', async () => {
    await using bench = await createWorkbench()
    const clock = createFakeClock()
    const aged = async (name: string, hours: number) => {
      const at = (clock.now() - hours * HOUR_MS) / 1_000
      await utimes(join(bench.dir, name), at, at)
    }
    await bench.workspaces.create('old')
    await bench.workspaces.create('young')
    const precious = join(bench.folder, 'precious')
    await mkdir(precious)
    await writeFile(join(precious, 'file.txt'), '')
    await symlink(precious, join(bench.dir, 'link'))
    await symlink(precious, join(bench.dir, 'old', 'work', 'link'))
    await aged('old', 25)
    await aged('young', 23)
    const at = new Date(0)
    await utimes(precious, at, at)
    expect(await sweepWorkspaces(bench.dir, 24, clock)).toBe(1)
    expect(await isThere(join(bench.dir, 'old'))).toBe(false)
    expect(await isThere(join(bench.dir, 'young'))).toBe(true)
    expect(await isThere(join(precious, 'file.txt'))).toBe(true)
  })

  it('finds nothing where there is no folder yet', async () => {
    await using bench = await createWorkbench()
    expect(await sweepWorkspaces(join(bench.folder, 'none'), 24, createFakeClock())).toBe(0)
  })

  it('removes folders that are deeper than a path is long, or that a program took its own rights from', async () => {
    const script = `
      import { sweepWorkspaces } from './lib/adapters/node/workspace-sweep.ts'
      import { createFakeClock } from './test/fakes/clock.ts'
      import { createWorkbench, never } from './test/fakes/workbench.ts'
      await using bench = await createWorkbench()
      const { run } = await bench.workspaces.create('locked')
      await run('sh', ['-c', 'mkdir -p a/b && touch a/b/c && chmod 0 a/b && chmod 0 a'], never)
      const deep = "for (let n = 0; n < 700; n++) { fs.mkdirSync('deeper'); process.chdir('deeper') }"
      await run('node', ['-e', deep], never)
      console.log(await sweepWorkspaces(bench.dir, 0, { ...createFakeClock(), now: () => Date.now() + 1_000 }))`
    // Rights mean nothing to root.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      user,
    )
    expect(stdout).toBe('1\n')
  })
})
