import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from '@jest/globals'
import { openLocalApp } from '../../lib/app/local.ts'
import { readConfig } from '../../lib/config/config.ts'
import { Problem } from '../../lib/core/errors.ts'
import {
  type Environment,
  launchService,
  type Program,
  startService,
  temporaryFolder,
} from '../journeys/service.ts'
import { oldNode } from './old-node.ts'

/** One line that says why, on stderr; nothing else, and no stack. */
const expectRefusal = async (program: Program, why: RegExp) => {
  await using service = launchService(program)
  const { code, stdout, stderr } = await service.exited
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toMatch(why)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/)
}

/** As a start does up to where it listens, in this process. */
const open = async (env: Environment) => {
  const app = await openLocalApp(readConfig(env))
  await app.close()
}

const saysItIs = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`,
]

const agents = (...names: string[]) => names.map((name) => `test/fixtures/agents/${name}.ts`).join(',')

type BadSetting = [setting: string, env: Environment, why: RegExp]

const badSettings: BadSetting[] = [
  ['a port that is no number', { PORT: 'abc' }, /PORT: must be a whole number/],
  ['a port that does not exist', { PORT: '65536' }, /PORT: must be at most 65535/],
  ['an unknown mode', { SERVICE_MODE: 'x' }, /SERVICE_MODE: .*pico.*mini/],
  ['no concurrency', { QUEUE_CONCURRENCY: '0' }, /QUEUE_CONCURRENCY: must be at least 1/],
  [
    'an approval that waits for more than a year',
    { APPROVAL_TTL_MS: '31536000001' },
    /APPROVAL_TTL_MS: must be at most 31536000000/,
  ],
  [
    'a budget that buys nothing',
    { TASK_MAX_BUDGET: '999' },
    /TASK_MAX_BUDGET: must be 0 \(no limit\) or at least 1000/,
  ],
  ['a lease too short to renew', { TASK_LEASE_MS: '10' }, /TASK_LEASE_MS: must be at least 1000/],
  ['a host that others reach', { HOST: '0.0.0.0' }, /HOST: .*loopback/],
  ['a proxy before it, and no sign-in', { TRUST_PROXY: '1' }, /TRUST_PROXY: .*ACCESS_KEY.*AUTH_MODE/],
  [
    'an address that others reach, and no sign-in',
    { PUBLIC_URL: 'https://tasks.example' },
    /PUBLIC_URL: .*tasks\.example.*ACCESS_KEY.*AUTH_MODE/,
  ],
  ...[
    'https://u:p@tasks.example',
    'https://tasks.example/?a=b',
    'https://tasks.example/#f',
    'https://tasks.example/base',
    'https://tasks.example//',
  ].map(
    (PUBLIC_URL): BadSetting => [
      `a public address with more than a host, ${PUBLIC_URL}`,
      { PUBLIC_URL, ACCESS_KEY: 'correct horse' },
      /PUBLIC_URL: must be a URL without path, credentials, query or fragment/,
    ],
  ),
  ...['mail.example.com', 'https://mail.example.com', 'smtp://mail.example.com/?pool=true'].map(
    (SMTP_URL): BadSetting => [
      `a mail server that is none, ${SMTP_URL}`,
      { SMTP_URL },
      /SMTP_URL: must be a URL such as smtps:/,
    ],
  ),
  [
    'a mail server without a sender',
    { SMTP_URL: 'smtp://127.0.0.1', PUBLIC_URL: 'http://127.0.0.1:3000' },
    /SMTP_URL: requires SMTP_FROM/,
  ],
  [
    'a sender that is two',
    { SMTP_FROM: 'a@example.com, b@example.com' },
    /SMTP_FROM: must be an email address/,
  ],
  ['a provider address that is none', { OPENAI_BASE_URL: 'file:///x' }, /OPENAI_BASE_URL: .*http/],
  [
    'an unknown fallback provider',
    { FALLBACK_PROVIDERS: 'openai, nope' },
    /FALLBACK_PROVIDERS: "nope" is not one of anthropic, openai/,
  ],
  [
    'a fallback provider that is not configured',
    { OPENAI_API_KEY: 'k'.repeat(16), FALLBACK_PROVIDERS: 'openai,groq' },
    /FALLBACK_PROVIDERS names "groq", which is not configured \(configured: openai\)/,
  ],
  [
    'a default provider that is not configured',
    { OPENAI_API_KEY: 'k'.repeat(16), DEFAULT_PROVIDER: 'groq' },
    /DEFAULT_PROVIDER names "groq", which is not configured/,
  ],
  ['a context window of no size', { OLLAMA_CONTEXT_TOKENS: '0' }, /OLLAMA_CONTEXT_TOKENS: must be at least/],
  ['an unknown default agent', { DEFAULT_AGENT: 'nobody' }, /DEFAULT_AGENT: nobody .*coding-agent/],
  ['a missing adapter', { AGENT_ADAPTERS: agents('missing') }, /AGENT_ADAPTERS: .*missing\.ts/],
  [
    'an adapter without functions',
    { AGENT_ADAPTERS: agents('misshapen') },
    /AGENT_ADAPTERS: .*execute must be/,
  ],
  ['an adapter twice', { AGENT_ADAPTERS: agents('scripted', 'scripted') }, /AGENT_ADAPTERS: .*scripted/],
  [
    'a program that would be shown the home of the user of the service',
    { ACP_AGENTS: JSON.stringify([{ type: 'curious', command: 'curious', reads: [homedir()] }]) },
    /ACP_AGENTS: reads of curious: .* would show the home of the user of the service .*; name the folders/,
  ],
  [
    'a command that would be shown a part of the data',
    {
      DATA_DIR: '/srv/tasks',
      COMMAND_AGENTS: JSON.stringify([
        {
          type: 'curious',
          command: 'curious',
          args: ['{prompt}'],
          parse: 'text',
          reads: ['/opt', '/srv/tasks/a'],
        },
      ]),
    },
    /COMMAND_AGENTS: reads of curious: \/srv\/tasks\/a would show DATA_DIR \(\/srv\/tasks\)/,
  ],
  [
    'a root of repositories that is none',
    { REPOSITORY_ROOTS: 'srv,/no' },
    /REPOSITORY_ROOTS: srv .*absolute path/,
  ],
]
const twoAtOnce: BadSetting = [
  'two at once, and names both',
  { PORT: '-1', LOG_LEVEL: 'loud' },
  /PORT: .*LOG_LEVEL: /,
]
/** What it throws has two lines. */
const throwing: BadSetting = [
  'an adapter that throws',
  { AGENT_ADAPTERS: agents('throwing') },
  /AGENT_ADAPTERS: .*a first line, and a/,
]

describe('the settings of a service are refused in one line:', () => {
  it.each([...badSettings, twoAtOnce])('%s', async (_setting, env, why) => {
    const refusal = await open({ SERVICE_MODE: 'pico', ...env }).catch((thrown) => thrown)
    expect(refusal).toBeInstanceOf(Problem)
    expect(refusal.message).toMatch(why)
    expect(refusal.message).not.toMatch(/\n|\bat .*:\d+:\d+/)
  })
})

describe('a service that cannot start says so in one line and ends with code 1:', () => {
  it.each([twoAtOnce, throwing])('%s', async (_setting, env, why) => {
    using folder = temporaryFolder()
    await expectRefusal({ env: { DATA_DIR: folder.in('data'), ...env } }, why)
  })

  it.each<[setting: string, env: Environment]>([
    ['its own address, and no sign-in', { PUBLIC_URL: 'http://[::1]:3000' }],
    ['a proxy before it, and an access key', { TRUST_PROXY: '1', ACCESS_KEY: 'correct horse' }],
  ])('but not %s', async (_setting, env) => {
    await using service = await startService({ env: { SERVICE_MODE: 'pico', ...env } })
    expect(service.baseUrl).toMatch(/^http:/)
  })

  it('a port in use', async () => {
    using folder = temporaryFolder()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const env = { PORT: String(port), DATA_DIR: folder.in('data') }
    await expectRefusal({ env }, new RegExp(`port ${port} is in use.*PORT`))
    other.close()
    await using service = await startService({ env })
    expect(service.baseUrl).toMatch(`:${port}`)
  })

  it('a data folder under a file', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('file'), '')
    await expectRefusal(
      { env: { DATA_DIR: folder.in('file', 'data') } },
      /file\/data cannot be written.*DATA_DIR/,
    )
  })

  it('a data folder that may not be written to', async () => {
    using folder = temporaryFolder()
    const closed = folder.in('closed')
    mkdirSync(closed)
    chmodSync(closed, 0o500)
    // No mode keeps the superuser out; /sys does.
    const DATA_DIR = process.getuid?.() === 0 ? '/sys/data' : closed
    await expectRefusal({ env: { DATA_DIR } }, new RegExp(`${DATA_DIR} cannot be written.*DATA_DIR`))
  })

  it('a data file that a newer version wrote, which stays as it is', async () => {
    using folder = temporaryFolder()
    const db = new DatabaseSync(folder.in('service.db'))
    db.exec('PRAGMA user_version = 99')
    await expectRefusal({ env: { DATA_DIR: folder.path } }, /newer version/)
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 })
    db.close()
  })

  it('a data file that is none', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('service.db'), 'not a database, but long enough to be taken for one'.repeat(50))
    await expectRefusal({ env: { DATA_DIR: folder.path } }, /not a database/)
  })

  it.each(['20.19.0', '24.0.0', '24.6.9'])('a Node that says it is %s', async (version) => {
    using folder = temporaryFolder()
    const program = { env: { DATA_DIR: folder.in('data') }, nodeArgs: saysItIs(version) }
    await expectRefusal(program, /needs Node 24\.7 or newer.*npm start/)
  })

  it.each(['24.7.0', '25.0.0'])('but not a Node that says it is %s', async (version) => {
    await using service = await startService({ env: { SERVICE_MODE: 'pico' }, nodeArgs: saysItIs(version) })
    expect(service.baseUrl).toMatch(/^http:/)
  })

  it('a Node that is too old, where the machine has one', async () => {
    using folder = temporaryFolder()
    const node = oldNode()
    if (node === undefined) return console.error('NOT TESTED: there is no Node older than 24 on PATH')
    await expectRefusal(
      { env: { DATA_DIR: folder.in('data') }, node },
      /needs Node 24\.7 or newer; this is v/,
    )
  })
})

describe('a data folder', () => {
  it('belongs to one service at a time, and is free again however that ended', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path }
    for (const end of ['kill9', 'stop'] as const) {
      await using first = await startService({ env })
      await expectRefusal({ env }, /in use by another process.*DATA_DIR/)
      expect((await fetch(`${first.baseUrl}/api/health/ready`)).status).toBe(200)
      await first[end]()
    }
    await using next = await startService({ env })
    expect(await next.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('is opened by one of two services that start at once', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path }
    await using one = launchService({ env })
    await using other = launchService({ env })
    const loser = await Promise.race([one.exited, other.exited])
    expect(loser).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another process') })
    await Promise.any([one.ready(), other.ready()])
  })

  it('is left alone in mode pico', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.path, SERVICE_MODE: 'pico' }
    await using one = await startService({ env })
    await using other = await startService({ env })
    expect(one.baseUrl).not.toBe(other.baseUrl)
  })
})
