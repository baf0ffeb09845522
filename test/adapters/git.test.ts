import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Command } from '../../lib/adapters/node/command.ts'
import type { GitCall } from '../../lib/adapters/node/git.ts'
import { createGit } from '../../lib/adapters/node/git.ts'
import type { CommandResult, Workspace } from '../../lib/ports/workspace.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { makeBareRepository } from '../fakes/git-host.ts'
import { createWorkbench, never, type Workbench } from '../fakes/workbench.ts'

let bench: Workbench
let workspace: Workspace
let trap: string
let sprung: string
beforeAll(async () => {
  bench = await createWorkbench()
  ;[trap, sprung] = [join(bench.folder, 'trap'), join(bench.folder, 'sprung')]
  await writeFile(trap, `#!/bin/sh\ntouch ${sprung}\n`)
  await chmod(trap, 0o755)
  await mkdir(join(bench.folder, 'hosted'))
  makeBareRepository(join(bench.folder, 'hosted'))
})
afterAll(() => bench[Symbol.asyncDispose]())

/** A new workspace whose settings, as its agent wrote them, are these. */
const configured = async (settings: string) => {
  workspace = await bench.workspaces.create('configured')
  await workspace.git(['init', '--quiet'], never)
  await writeFile(join(workspace.root, '.git/config'), settings, { flag: 'a' })
  await rm(sprung, { force: true })
}

describe('git in a workspace', () => {
  it('starts no file system monitor that the settings name', async () => {
    await configured(`[core]\n\tfsmonitor = ${trap}\n`)
    expect(await workspace.git(['status'], never)).toMatchObject({ exitCode: 0 })
    expect(existsSync(sprung)).toBe(false)
  })

  it.each([
    ['a remote helper', () => `ext::${trap}`],
    ['a path of this machine', () => join(bench.folder, 'hosted/repo.git')],
    ['a file: URL', () => `file://${bench.folder}/hosted/repo.git`],
    ['ssh', () => 'ssh://host.invalid/owner/repo.git'],
    ['the protocol of git', () => 'git://127.0.0.1/owner/repo.git'],
  ])('has no transport, whatever the settings allow: %s', async (_title, from) => {
    await configured(`[protocol]\n\tallow = always\n[core]\n\tsshCommand = ${trap}\n`)
    const fetching = await workspace.git(['fetch', from()], never)
    expect(fetching).toMatchObject({ exitCode: 128, stderr: expect.stringContaining('not allowed') })
    expect(existsSync(sprung)).toBe(false)
  })

  it.each([
    ['no transport', {}],
    ['that of files', { transports: ['file'] as const }],
  ])('connects to no host with %s', async (_title, means) => {
    let connections = 0
    const server = createServer((_request, response) => response.writeHead(404).end())
    server.on('connection', () => {
      connections += 1
    })
    const host = await onLoopback(server)
    await configured('[protocol]\n\tallow = always\n')
    const where = { cwd: workspace.root, home: workspace.home, signal: never }
    const { exitCode } = await bench.git.run({ ...where, ...means, args: ['ls-remote', `${host.url}/a.git`] })
    await host.stop()
    expect({ exitCode, connections }).toEqual({ exitCode: 128, connections: 0 })
  })
})

describe('a call of git', () => {
  const host = { name: 'git.example', port: 443, addresses: ['93.184.216.34', '2606:4700::1111'] }
  const answers: Readonly<Record<string, string>> = { version: 'git version 2.37.0' }

  /** What the sandbox is told of a call. */
  const gitCommands = async (call: Partial<GitCall>, version = answers.version) => {
    const told: Command[] = []
    const run = async (command: Command): Promise<CommandResult> => {
      told.push(command)
      return { exitCode: 0, stdout: version ?? '', stderr: '', truncated: false, timedOut: false }
    }
    const git = createGit({ commands: { run }, caFile: '/ca.crt' })
    const result = await git.run({ cwd: '/w', home: '/h', args: ['status'], signal: never, ...call })
    return { result, calls: told.filter(({ args }) => !args.includes('version')) }
  }

  it('has the network for a pinned host alone, and reads what it names', async () => {
    const { calls: plain } = await gitCommands({ reads: ['/srv/git/a'], transports: ['file'] })
    expect(plain).toMatchObject([{ reads: ['/srv/git/a'], env: { GIT_ALLOW_PROTOCOL: 'file' } }])
    expect(plain[0]).not.toHaveProperty('network')
    const { calls } = await gitCommands({ host })
    expect(calls).toMatchObject([
      {
        network: 'host',
        reads: ['/ca.crt'],
        env: { GIT_ALLOW_PROTOCOL: 'https', GIT_SSL_CAINFO: '/ca.crt' },
      },
    ])
    expect(calls[0]?.args.join(' ')).toContain(
      '-c http.followRedirects=false -c http.proxy= -c http.sslVerify=true ' +
        '-c http.curloptResolve=git.example:443:93.184.216.34,[2606:4700::1111] status',
    )
  })

  it.each(['git version 2.36.6', 'git version 1.99.0', ''])(
    'pins no host with %j, so it has none',
    async (version) => {
      const { result, calls } = await gitCommands({ host }, version)
      expect(result).toMatchObject({ exitCode: 128, stderr: expect.stringContaining('2.37') })
      expect(calls).toEqual([])
    },
  )
})
