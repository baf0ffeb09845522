import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { CommandResult } from '../../lib/ports/workspace.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import { stubbornScript } from '../fakes/workbench.ts'
import { agentWorld } from '../journeys/agent-world.ts'
import { ask, taskApi, until } from '../journeys/api.ts'
import { type Environment, launchService, startService } from '../journeys/service.ts'

type Ran = { results: CommandResult[] }
type Detailed = { components: { sandbox?: { status: string; message: string } } }

const world = (more: Environment = {}) => {
  const { folder, env } = agentWorld('programs')
  return { folder, env: { ...env, ...more }, [Symbol.dispose]: folder[Symbol.dispose] }
}

/** A folder of links to every program of PATH but bubblewrap. */
const pathWithoutSandbox = async (folder: string): Promise<string> => {
  await mkdir(folder)
  for (const place of (process.env.PATH ?? '').split(delimiter).filter(existsSync))
    for (const name of await readdir(place))
      if (name !== 'bwrap') await symlink(join(place, name), join(folder, name)).catch(() => undefined)
  return folder
}

const runPrograms = async (baseUrl: string, programs: string[][]): Promise<Task> => {
  const api = taskApi(baseUrl)
  const { id } = await api.create({ title: 'Programs', metadata: { programs } })
  return api.untilTask(id, 'completed', 'failed')
}

const outputs = ({ result }: Task) =>
  (result as unknown as Ran).results.map(({ exitCode, stdout }) => ({ exitCode, stdout: stdout.trim() }))

describe('programs of an adapter’s run, in a started service', () => {
  it('do not see the data of the service', async () => {
    using place = world()
    await using service = await startService(place)
    const task = await runPrograms(service.baseUrl, [
      ['sh', '-c', 'echo kept > note.txt'],
      ['cat', 'note.txt'],
      ['sh', '-c', 'cat ../../../*.db ../../../*.key | wc -c'],
      ['sh', '-c', `ls ${place.env.DATA_DIR}`],
    ])
    const [, kept, data, listed] = outputs(task)
    expect(kept).toEqual({ exitCode: 0, stdout: 'kept' })
    expect(data).toEqual({ exitCode: 0, stdout: '0' })
    expect(listed).toEqual({ exitCode: 0, stdout: 'workspaces' })
    const health = await ask<Detailed>(`${service.baseUrl}/api/health/detailed`)
    expect(health.body.components.sandbox).toMatchObject({
      status: 'healthy',
      message: 'Agent programs run in a sandbox, without network access',
    })
  })

  it('see them with AGENT_SANDBOX=off, which the log and health say', async () => {
    using place = world({ AGENT_SANDBOX: 'off' })
    await using service = await startService(place)
    const task = await runPrograms(service.baseUrl, [['sh', '-c', 'cat ../../../*.db | wc -c']])
    expect(Number(outputs(task)[0]?.stdout)).toBeGreaterThan(0)
    expect(service.output()).toContain('Sandbox: off (AGENT_SANDBOX)')
    const health = await ask<Detailed>(`${service.baseUrl}/api/health/detailed`)
    expect(health.body.components.sandbox).toMatchObject({ status: 'degraded' })
  })

  it('are gone after kill -9, and an attempt after the restart is alone', async () => {
    using place = world({ TASK_LEASE_MS: '1000' })
    const { WORKSPACES_DIR = join(place.env.DATA_DIR ?? '', 'workspaces') } = place.env as Environment
    const script = stubbornScript(true)
    const beats = async (attempt: number, id: string) =>
      (await stat(join(WORKSPACES_DIR, `${id}-${attempt}`, 'work', 'beat.txt')).catch(() => ({ size: 0 })))
        .size
    const first = await startService(place)
    const programs = [
      ['node', '-e', `require('node:fs').writeFileSync('script.mjs', ${JSON.stringify(script)})`],
      ['node', 'script.mjs'],
    ]
    const { id } = await taskApi(first.baseUrl).create({ title: 'Stubborn', metadata: { programs } })
    await until(async () => ((await beats(1, id)) > 2 ? true : undefined))
    await first.kill9()
    await using _second = await startService(place)
    await until(async () => ((await beats(2, id)) > 2 ? true : undefined))
    const left = await beats(1, id)
    await until(async () => ((await beats(2, id)) > 20 ? true : undefined))
    expect(await beats(1, id)).toBe(left)
  })
})

describe('programs as users of their own, in a started service', () => {
  it('see neither its data nor its environment, and reach what it reaches', async () => {
    if (process.getuid?.() !== 0)
      return console.error('SKIPPED: only root can give programs users of their own')
    using place = world({ AGENT_SANDBOX: 'users', AGENT_NETWORK: 'on', AGENT_UIDS: '60620-60629' })
    await chmod(place.folder.path, 0o755)
    const WORKSPACES_DIR = place.folder.in('workspaces')
    await using service = await startService({ ...place, env: { ...place.env, WORKSPACES_DIR } })
    const { pid, status, url } = { pid: service.pid, status: '/proc/self/status', url: service.baseUrl }
    const task = await runPrograms(service.baseUrl, [
      ['sh', '-c', 'id -u; git init -q .; echo kept > $HOME/note.txt; stat -c %u $HOME/note.txt'],
      ['sh', '-c', `cat ${place.env.DATA_DIR}/*; ls ${place.env.DATA_DIR}; cat /proc/${pid}/environ | wc -c`],
      ['grep', '-E', '^(CapEff|NoNewPrivs)', status],
      ['node', '-e', `fetch('${url}/api/health').then(({ status }) => console.log(status))`],
    ])
    const [own, data, rights, reached] = outputs(task).map(({ stdout }) => stdout)
    expect(own).toBe('60621\n60621')
    expect(data).toBe('0')
    expect(rights?.replace(/\s+/g, ' ')).toBe('CapEff: 0000000000000000 NoNewPrivs: 1')
    expect(reached).toBe('200')
    const { body } = await ask<Detailed>(`${service.baseUrl}/api/health/detailed`)
    expect(body.components.sandbox).toMatchObject({
      status: 'healthy',
      message: expect.stringContaining('separate users (60620 to 60629), with access to the whole network'),
    })
  })
})

describe('where no sandbox works', () => {
  let bare: { folder: ReturnType<typeof world>; PATH: string }
  beforeAll(async () => {
    const folder = world()
    bare = { folder, PATH: await pathWithoutSandbox(folder.folder.in('bin')) }
  })
  afterAll(() => bare.folder[Symbol.dispose]())

  it('programs run in mode local, and an admin is warned', async () => {
    using place = world({ PATH: bare.PATH })
    await using service = await startService(place)
    expect(outputs(await runPrograms(service.baseUrl, [['echo', 'ran']]))).toEqual([
      { exitCode: 0, stdout: 'ran' },
    ])
    expect(service.output()).toContain('Sandbox: not available')
    const { body } = await ask<Detailed>(`${service.baseUrl}/api/health/detailed`)
    expect(body.components.sandbox?.message).toMatch(/Sandbox: not available.*bubblewrap: .*bwrap/)
  })

  it('programs are refused in mode cloud, and users are not shown why in health', async () => {
    using place = world({ PATH: bare.PATH, AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' })
    await using service = await startService(place)
    const signUp = async (name: string) => {
      const account = { email: `${name}@example.com`, password: 'correct horse 1', name }
      const answer = await fetch(`${service.baseUrl}/api/auth/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(account),
      })
      expect(answer.status).toBe(200)
      return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    }
    const [admin, user] = [await signUp('ann'), await signUp('bob')]
    const body = { title: 'Programs', metadata: { programs: [['echo', 'ran']] } }
    const made = await ask<{ task: Task }>(`${service.baseUrl}/api/tasks`, 'POST', body, user)
    expect(made).toMatchObject({ status: 201 })
    const { error } = await until(async () => {
      const { task } = (
        await ask<{ task: Task }>(`${service.baseUrl}/api/tasks/${made.body.task.id}`, 'GET', undefined, user)
      ).body
      return task.status === 'failed' ? task : undefined
    })
    expect(error).toMatchObject({
      code: 'sandbox_missing',
      message: expect.stringContaining('AGENT_SANDBOX=off'),
    })
    const sandboxHealth = async (headers: object) =>
      (await ask<Detailed>(`${service.baseUrl}/api/health/detailed`, 'GET', undefined, headers)).body
        .components.sandbox
    expect(await sandboxHealth(admin)).toMatchObject({ status: 'degraded' })
    expect(await sandboxHealth(user)).toBeUndefined()
  })

  it('the service does not start when one is required', async () => {
    using place = world({ PATH: bare.PATH, AGENT_SANDBOX: 'require' })
    const { code, stderr } = await launchService(place).exited
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^Cannot start: AGENT_SANDBOX: require, but no sandbox is available \(bubblewrap: .*\)\n$/,
    )
  })
})

/** An https server at an address that no program takes for its own. */
const startTls = async (folder: string) => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ]
  await promisify(execFile)('openssl', request)
  const certificate = { key: await readFile(key), cert: await readFile(cert) }
  const server = createTlsServer(certificate, (_, response) => response.end('over tls'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  return { server, port: (server.address() as { port: number }).port }
}

/** Asks the proxy of the sandbox for a tunnel, and says something through it. */
const tunnel = (target: string) => `
const socket = require('node:net').connect(3128, '127.0.0.1', () => socket.write('CONNECT ${target} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'))
let said = ''
socket.on('data', (data) => {
  if (said === '' && String(data).startsWith('HTTP/1.1 200')) socket.write('hello')
  said += data
}).on('close', () => console.log(said.split('\\r\\n')[0] + ' ' + said.split('\\r\\n\\r\\n')[1]))
`

describe('with AGENT_NETWORK=on', () => {
  it('programs reach public hosts and those that are allowed, and never the service', async () => {
    const upstream = createServer((socket) => void socket.on('data', (data) => socket.end(`echo ${data}`)))
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const { port } = upstream.address() as { port: number }
    using place = world({ AGENT_NETWORK: 'on', OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost,127.0.0.2' })
    const secure = await startTls(place.folder.path)
    await using service = await startService(place)
    const own = new URL(service.baseUrl).port
    const cases: [target: string, said: string][] = [
      [`127.0.0.1:${port}`, 'HTTP/1.1 200 Connection established echo hello'],
      [`localhost:${port}`, 'HTTP/1.1 200 Connection established echo hello'],
      ...[
        `127.0.0.1:${own}`,
        `localhost:${own}`,
        '169.254.169.254:80',
        '10.0.0.1:443',
        '[::1]:443',
        'nowhere.invalid:443',
        'x',
      ].map((target): [string, string] => [
        target,
        'HTTP/1.1 403 Forbidden This host cannot be reached from here\n',
      ]),
    ]
    const task = await runPrograms(service.baseUrl, [
      ...cases.map(([target]) => ['node', '-e', tunnel(target)]),
      [
        'env',
        'NODE_TLS_REJECT_UNAUTHORIZED=0',
        'node',
        '-e',
        `fetch('https://127.0.0.2:${secure.port}/').then((answer) => answer.text()).then(console.log, console.log)`,
      ],
      [
        'node',
        '-e',
        `require('node:net').connect(${own}, '127.0.0.1').on('error', ({ code }) => console.log(code))`,
      ],
      ['sh', '-c', 'exit 7'],
    ])
    upstream.close()
    secure.server.close()
    const said = outputs(task)
    expect(said.slice(0, cases.length).map(({ stdout }) => stdout)).toEqual(
      cases.map(([, text]) => text.trim()),
    )
    const [byFetch, direct, code] = said.slice(cases.length)
    expect(byFetch?.stdout).toBe('over tls')
    expect(direct?.stdout).toBe('ECONNREFUSED')
    expect(code?.exitCode).toBe(7)
  })
})

describe('with hosts in AGENT_NETWORK', () => {
  it('programs reach those, and the log names each other one once', async () => {
    const upstream = createServer((socket) => void socket.on('data', (data) => socket.end(`echo ${data}`)))
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const { port } = upstream.address() as { port: number }
    using place = world({ AGENT_NETWORK: 'localhost', OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost' })
    await using service = await startService(place)
    const targets = [`localhost:${port}`, `127.0.0.1:${port}`, `127.0.0.1:${port}`]
    const task = await runPrograms(
      service.baseUrl,
      targets.map((target) => ['node', '-e', tunnel(target)]),
    )
    upstream.close()
    const refused = 'HTTP/1.1 403 Forbidden This host cannot be reached from here'
    expect(outputs(task).map(({ stdout }) => stdout)).toEqual([
      'HTTP/1.1 200 Connection established echo hello',
      refused,
      refused,
    ])
    expect(
      service.output().match(/"host":"127\.0\.0\.1","why":"AGENT_NETWORK does not have it"/g),
    ).toHaveLength(1)
  })
})
