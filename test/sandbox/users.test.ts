import {
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { processUids } from '../../lib/adapters/node/user-processes.ts'
import { until } from '../fakes/until.ts'
import { createWorkbench, gitIn, never } from '../fakes/workbench.ts'
import { asRoot, end, FIRST, openBench, openProgram, running, shell, uidIn } from './user-programs.ts'

asRoot('a program that runs as a user of its own', () => {
  it('has no rights, and a folder that no other user passes', async () => {
    // Containers may give root groups.
    const groups = process.getgroups?.() ?? []
    process.setgroups?.([4])
    using _groups = { [Symbol.dispose]: () => process.setgroups?.(groups) }
    await using bench = await openBench()
    const [one, two] = [await bench.workspaces.create('one'), await bench.workspaces.create('two')]
    expect([await uidIn(one), await uidIn(two)]).toEqual([FIRST + 1, FIRST + 2])
    const status = await shell(one, 'grep -E "^(Uid|Gid|Groups|CapEff|CapPrm|NoNewPrivs)" /proc/self/status')
    expect(status.replace(/[ \t]+/g, ' ')).toBe(
      [
        ...['Uid', 'Gid'].map((name) => `${name}:${` ${FIRST + 1}`.repeat(4)}`),
        'Groups: ',
        ...['CapPrm: 0000000000000000', 'CapEff: 0000000000000000', 'NoNewPrivs: 1'],
      ].join('\n'),
    )
    for (const place of ['root', 'home', 'tmp'] as const) {
      await shell(
        two,
        `chmod 777 ${two[place]}; echo mine > ${two[place]}/file; chmod 666 ${two[place]}/file`,
      )
      const tried = await shell(one, `cat ${two[place]}/file; echo x > ${two[place]}/new; ls ${bench.dir}`)
      expect(tried).not.toContain('mine')
      expect(existsSync(join(two[place], 'new'))).toBe(false)
      expect(tried).not.toMatch(/^two$/m)
    }
  })

  it('cannot signal a program of another workspace, nor the service, nor read their environment', async () => {
    await using bench = await openBench()
    const [one, two] = [await bench.workspaces.create('one'), await bench.workspaces.create('two')]
    const other = await openProgram(bench, two, 'echo $$; exec sleep 60')
    const [line] = (await new Promise((resolve) => other.stdout.once('data', (data) => resolve([data])))) as [
      Buffer,
    ]
    const pid = Number(line)
    for (const target of [pid, process.pid])
      expect(
        await shell(one, `kill -0 ${target} && echo can; cat /proc/${target}/environ /proc/${target}/maps`),
      ).not.toMatch(/can$|PATH=|libc/m)
    await shell(one, 'kill -9 -1')
    expect(processUids(pid)).toContain(FIRST + 2)
    await end(other)
  })
})

asRoot('a user that is needed for another workspace', () => {
  it('is taken with its processes and its files elsewhere from the one that was used the longest time ago', async () => {
    await using bench = await openBench()
    const left = join(tmpdir(), `left-${process.pid}`)
    const one = await bench.workspaces.create('one')
    await shell(
      one,
      `echo secret > file; mkdir -p ${left}/deep; echo secret > ${left}/deep/file; chmod 000 ${left}/deep; ipcmk -M 1000`,
    )
    await bench.workspaces.create('two')
    // A root that ran agents without isolation, or a folder that all may write to.
    const kept = join(bench.folder, 'kept.txt')
    writeFileSync(kept, 'kept')
    linkSync(kept, join(one.root, 'hard'))
    symlinkSync(kept, join(one.root, 'soft'))

    const three = await bench.workspaces.create('three')
    expect(await uidIn(three)).toBe(FIRST + 1)
    expect(existsSync(left)).toBe(false)
    expect(readFileSync('/proc/sysvipc/shm', 'utf8')).not.toContain(String(FIRST + 1))
    expect(await shell(three, `cat ${one.root}/file`)).not.toContain('secret')
    expect(await shell(three, 'echo third > file; cat file')).toBe('third')

    // What still holds the workspace goes on in it, as another user.
    expect(await uidIn(one)).toBe(FIRST + 2)
    expect(await shell(one, 'cat file; echo more >> file; cat file')).toBe('secret\nsecret\nmore')
    expect(statSync(kept).uid).toBe(0)
    expect(lstatSync(join(one.root, 'soft')).isSymbolicLink()).toBe(true)
    expect(await shell(three, 'cat file')).toBe('third')
  })
})

asRoot('a workspace of a user of its own', () => {
  it('is removed without what its links lead to, and frees its user', async () => {
    await using bench = await openBench(FIRST + 1)
    const outside = join(bench.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'file'), 'kept')
    const workspace = await bench.workspaces.create('one')
    symlinkSync(outside, join(workspace.root, 'link'))
    await shell(workspace, 'mkdir locked; echo x > locked/file; chmod 000 locked')
    await bench.workspaces.remove('one')
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept')
    expect(await uidIn(await bench.workspaces.create('two'))).toBe(FIRST + 1)
  })

  it('of another isolation is not used', async () => {
    await using bench = await openBench()
    mkdirSync(join(bench.dir, 'old', 'work'), { recursive: true })
    writeFileSync(join(bench.dir, 'old', 'work', 'file'), 'old')
    const { root } = await bench.workspaces.open('old')
    expect(readdirSync(root)).toEqual([])
  })

  it('lets git of the service run nothing as root, whatever its settings say', async () => {
    await using bench = await openBench()
    const workspace = await bench.workspaces.create('one')
    const { root } = workspace
    await shell(
      workspace,
      'git init -q . && git config user.name a && git config user.email a@a && echo 1 > a.txt && git add . && git commit -qm a',
    )
    const commit = await shell(workspace, 'git rev-parse HEAD')
    await workspace.keepObjects()
    const ran = join(bench.folder, 'ran')
    mkdirSync(ran)
    chownSync(ran, FIRST + 1, FIRST + 1)
    const trap = `#!/bin/sh\nid -u > ${ran}/$$\ncat\n`
    const trapped = ['trap', '.git/hooks/pre-commit', '.git/hooks/post-checkout']
    mkdirSync(join(root, '.git/hooks'), { recursive: true })
    for (const name of trapped) await workspace.write(name, trap)
    const settings = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'diff.external',
      'filter.t.clean',
      'filter.t.smudge',
    ].map((setting) => `git config ${setting} ${root}/trap`)
    const lines = [`chmod +x ${trapped.join(' ')}`, ...settings, 'git config core.hooksPath .git/hooks']
    expect(await shell(workspace, lines.join(' && '))).toBe('')
    await shell(workspace, 'echo "*.txt filter=t diff=t" > .gitattributes; echo 2 > a.txt')
    await workspace.git(['status'], never)
    await workspace.git(['diff'], never)
    const tree = await workspace.tree(commit, [], never)
    expect((await tree.git(['diff', '--name-only', commit, tree.tree], 1_000)).stdout).toContain('a.txt')
    const uids = readdirSync(ran).map((name) => readFileSync(join(ran, name), 'utf8').trim())
    expect(uids.filter((uid) => uid !== String(FIRST + 1))).toEqual([])
  })

  it('is not worked in with a credential or files of the service while a program of the agent runs', async () => {
    await using bench = await openBench()
    const workspace = await bench.workspaces.create('one')
    const { root: cwd, home, tmp } = workspace
    await gitIn(bench.git, cwd, 'init', '-q', '.')
    await gitIn(bench.git, cwd, 'commit', '-q', '--allow-empty', '-m', 'a')
    const commit = await gitIn(bench.git, cwd, 'rev-parse', 'HEAD')
    await workspace.keepObjects()
    const program = await openProgram(bench, workspace, 'sleep 60')
    const host = { name: '127.0.0.1', port: 9, addresses: ['127.0.0.1'] }
    const fetching = () =>
      bench.git.run({ args: ['ls-remote', 'https://127.0.0.1:9/'], cwd, home, tmp, host, signal: never })
    await expect(fetching()).rejects.toThrow('Programs of the agent still run')
    await expect(workspace.tree(commit, [], never)).rejects.toThrow()
    await end(program)
    expect((await fetching()).exitCode).toBe(128)
    await expect(workspace.tree(commit, [], never)).resolves.toHaveProperty('tree')
  })
})

asRoot('the users of programs', () => {
  it('are those of one service', async () => {
    await using _bench = await openBench()
    await using second = await createWorkbench({ uids: { first: FIRST, last: FIRST + 2 } })
    expect(second.found).toEqual({ cause: 'another service uses the users of AGENT_UIDS' })
  })

  it('are nobody else’s', async () => {
    await using bench = await createWorkbench({ uids: { first: 65_500, last: 65_534 } })
    expect(bench.found).toEqual({ cause: expect.stringMatching(/^nobody in \/etc\/passwd has 65534/) })
  })

  it('have no processes once the service is closed, or at its next start', async () => {
    const bench = await openBench()
    const workspace = await bench.workspaces.create('one')
    const program = await openProgram(bench, workspace, 'setsid sleep 60')
    await until(() => running(FIRST + 1).length > 0)
    if ('sandbox' in bench.found) await bench.found.close?.()
    expect(running(FIRST + 1)).toEqual([])
    await program.ended
    await rm(bench.folder, { recursive: true, force: true })
  })
})
