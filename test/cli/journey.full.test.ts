import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { type Connection, connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { openService } from '../journeys/opened-service.ts'
import { root, type Service, startService, temporaryFolder } from '../journeys/service.ts'
import { oldNode } from '../start/old-node.ts'
import { commandLine } from './command-line.ts'

const TASK = /task_[0-9A-Z]+/
const MINUTES_MS = 240_000

let world: ReturnType<typeof moodyWorld>
let service: Service
let api: Connection
let cli: ReturnType<typeof commandLine>
const folder = temporaryFolder()

beforeAll(async () => {
  world = moodyWorld({ QUEUE_RETRY_ATTEMPTS: '1' })
  service = await startService({ env: world.env })
  api = connect(service.baseUrl)
  cli = commandLine({ AGENT_TASKS_URL: service.baseUrl, XDG_CONFIG_HOME: folder.path })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  world?.[Symbol.dispose]()
  folder[Symbol.dispose]()
})

/** Starts a task that takes minutes by the command line, and resolves to its id once it runs. */
const startSlow = async (...more: string[]) => {
  const command = cli.start(['run', 'demo: slow 240000', '--agent', 'coding-agent', ...more])
  const id = await until(async () => TASK.exec(command.said.stderr)?.[0])
  await api.untilTask(id, 'in_progress')
  return { ...command, id }
}

describe('agent-tasks run', () => {
  it('follows the log, prints output and diff stat without colours, and exits 0 when the task is done', async () => {
    const { code, stdout, stderr } = await cli.run('run', 'Write a note', '--agent', 'coding-agent')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /scripted demo model[\s\S]*\n demo-notes\.md \| \d+ \++\n 1 file changed, \d+ insertions\(\+\)\n$/,
    )
    expect(stderr).toMatch(
      /created[\s\S]*started +attempt 1[\s\S]*says +This is the scripted[\s\S]*completed\n$/,
    )
    expect(stdout + stderr).not.toContain('\u001b')
  })

  it('exits 1 when the task failed, and says why', async () => {
    const failed = await cli.run('run', 'x', '--agent', 'coding-agent', '--repo', '/no/such')
    expect(failed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Failed: .*does not exist/),
    })
  })

  it('takes a repository by its path from here, as the service cannot', async () => {
    const { code, json } = await cli.run('run', 'x', '--agent', 'moody', '--repo', './no-such', '--json')
    expect(code).toBe(0)
    expect(json()).toMatchObject({ task: { repository: path.join(root, 'no-such') } })
  })

  it('exits 2 when the task is cancelled meanwhile', async () => {
    const { id, exited } = await startSlow('--wait')
    expect(await cli.run('cancel', id)).toMatchObject({ code: 0, stdout: `${id} is cancelled\n` })
    expect((await exited).code).toBe(2)
  })

  it('goes on with a reply, in the same workspace, as reply does', async () => {
    const first = await cli.run('run', 'Write a note', '--agent', 'coding-agent', '--json')
    const { id } = first.json().task as { id: string }
    const second = await cli.run('reply', id, 'Write another one')
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('scripted demo model') })
    expect(second.stderr).toContain('Continuing in the workspace of the last turn')
    const { code, json } = await cli.run('run', 'And one more', '--continue', id, '--json')
    expect(code).toBe(0)
    expect(json().task).toMatchObject({ threadId: id, prompt: 'And one more', status: 'completed' })
  })

  it('leaves a reply waiting while the turn runs', async () => {
    const { id, exited } = await startSlow()
    const waiting = await cli.run('reply', id, 'Say hello')
    expect(waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/^msg_\w+\n$/) })
    expect(waiting.stderr).toContain(`agent-tasks logs -f ${id}`)
    await cli.run('cancel', id)
    expect((await exited).code).toBe(2)
    const { client } = api
    const turn = await until(async () => (await client.getThread({ params: { id } })).thread.tasks[1])
    await api.untilTask(turn.id, 'completed')
  })

  it('leaves the task running on Ctrl-C, and says how to follow and to cancel it', async () => {
    const { id, child, exited } = await startSlow()
    child.kill('SIGINT')
    const { code, stderr } = await exited
    expect(code).toBe(130)
    expect(stderr).toContain(`agent-tasks logs -f ${id}\n`)
    expect(stderr).toContain(`agent-tasks cancel ${id}\n`)
    expect((await api.task(id)).status).toBe('in_progress')
    await cli.run('cancel', id)
  })

  it('goes on following when the service was killed and comes back', async () => {
    using other = moodyWorld({ TASK_LEASE_MS: '1000' })
    const first = await startService({ env: other.env })
    const { port } = new URL(first.baseUrl)
    const { id } = await connect(first.baseUrl).create({ title: 'Survives', metadata: { runMs: 2_000 } })
    const follower = commandLine({ AGENT_TASKS_URL: first.baseUrl, XDG_CONFIG_HOME: folder.path })
    const { exited, said } = follower.start(['logs', '-f', id])
    await until(async () => said.stdout.includes('started') || undefined)
    await first.kill9()
    await using second = await startService({ env: { ...other.env, PORT: port } })
    expect((await exited).code).toBe(0)
    expect(said.stdout).toMatch(/started +attempt 1[\s\S]*recovered[\s\S]*completed\n$/)
    expect((await connect(second.baseUrl).task(id)).status).toBe('completed')
  })

  it.each([[[]], [['--json']]])('exits 3 when the service cannot be reached: %j', async (more) => {
    const server = createServer().listen(0, '127.0.0.1')
    await until(async () => server.listening || undefined)
    const { port } = server.address() as { port: number }
    await new Promise((closed) => server.close(closed))
    const lost = commandLine({ AGENT_TASKS_URL: `http://127.0.0.1:${port}` })
    const run = await lost.run('run', 'x', ...more)
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('AGENT_TASKS_URL') })
    if (more.length > 0) expect(run.json()).toMatchObject({ code: 'unreachable' })
  })
})

describe('agent-tasks diff', () => {
  it('prints a patch that git applies to a checkout of the repository', async () => {
    using checkout = temporaryFolder()
    const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout.path })
    git('init', '--quiet')
    const { stdout } = await cli.run('run', 'Write a note', '--agent', 'coding-agent', '--json', '--no-wait')
    const { id } = JSON.parse(stdout).task
    expect(await cli.run('diff', 'task_none')).toMatchObject({ code: 1, stdout: '' })
    await api.untilTask(id, 'completed')
    const patch = await cli.run('diff', id)
    expect(patch).toMatchObject({ code: 0, stderr: '' })
    writeFileSync(path.join(checkout.path, 'a.patch'), patch.stdout)
    git('apply', 'a.patch')
    expect(readFileSync(path.join(checkout.path, 'demo-notes.md'), 'utf8')).toContain('# Write a note\n')
  })

  it.each([
    ['changed no file', {}, 'has no diff'],
    ['changed too much', { diff: 'diff --git a/a b/a\n[diff truncated at 512 kB]\n' }, 'too large to store'],
  ])('says why there is none of a task that %s', async (_, metadata, why) => {
    const { id } = await api.perform({ title: 'Changes', assignedAgent: 'moody', metadata })
    const refused = { code: 1, stdout: '', stderr: expect.stringContaining(why) }
    expect(await cli.run('diff', id)).toMatchObject(refused)
  })
})

describe('--json', () => {
  it(
    'is one line of the answer, of every command',
    async () => {
      const failing = { assignedAgent: 'moody', metadata: { failures: 9 }, labels: ['batch'] }
      const { id } = await api.perform({ title: 'Fails', ...failing })
      const other = await api.perform({ title: 'Fails too', ...failing })
      const item = await until(async () =>
        (await api.client.listDlq({})).items.find(({ taskId }) => taskId === other.id),
      )
      const run = await cli.run('run', 'x', '--json')
      expect(run).toMatchObject({ code: 0, stderr: '' })
      expect(run.json()).toMatchObject({ task: { status: 'completed', title: 'x' } })
      const calls: [string[], number, object][] = [
        [['run', 'y', '--no-wait'], 0, { task: { status: 'queued' } }],
        [
          [
            'run',
            'y',
            '--no-wait',
            '--timeout',
            '2h',
            '--max-steps',
            '60',
            '--max-cost',
            '2.5',
            '--mode',
            'ask',
            '--budget',
            '200k',
            '--runs-on',
            'gpu,linux',
            '--runs-on',
            'x',
          ],
          0,
          {
            task: {
              ...{ timeoutMs: 7_200_000, maxSteps: 60, maxCostUsd: 2.5, runsOn: ['gpu', 'linux', 'x'] },
              metadata: { securityMode: 'ask', maxBudget: 200_000 },
            },
          },
        ],
        [
          ['ls', '--status', 'failed', '--label', 'batch'],
          0,
          { tasks: [{ id: other.id }, { id }], total: 2 },
        ],
        [['logs', id], 0, { taskId: id, events: expect.anything() }],
        [['logs', '-f', id], 1, { taskId: id, events: expect.anything() }],
        [['open', id], 0, { url: `${service.baseUrl}/tasks/${id}` }],
        [['cancel', id], 1, { code: 'task_state_conflict', error: expect.any(String) }],
        [['retry', id], 0, { originalTaskId: id }],
        [
          ['retry', '--filter', `labels=batch`, '--filter', 'status=failed', '--dry-run'],
          0,
          { count: expect.any(Number) },
        ],
        [['dlq'], 0, { items: expect.anything() }],
        [
          ['dlq', 'discard', item.id, 'dlq_none'],
          1,
          { job: { total: 2, done: 1, failures: [{ id: 'dlq_none' }] } },
        ],
        [['api', 'getTask', `id=${id}`], 0, { task: { id } }],
        [['logs', 'task_none'], 1, { code: 'task_not_found' }],
        [['ls', '--nope'], 64, { code: 'usage' }],
      ]
      for (const [args, code, answer] of calls) {
        const done = await cli.run(...args, '--json')
        expect([args, done.code, done.json()]).toMatchObject([args, code, answer])
      }
    },
    MINUTES_MS,
  )
})

describe('the command line', () => {
  it('is what npx runs in the checkout, offline and with nothing built anew', () => {
    const built = () =>
      statSync(path.join(root, 'functions/ui/dist/index.html'), { throwIfNoEntry: false })?.mtimeMs
    const before = built()
    const npx = execFileSync('npx', ['--offline', 'agent-tasks', '--version'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: folder.path },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(npx).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(built()).toBe(before)
  })

  it('hands over to the Node that was installed where the one that was found is too old', async () => {
    const old = oldNode()
    if (old === undefined) process.stderr.write('There is no older Node here: not tried with one\n')
    const { exited } = cli.start(['ls', '--json'], [old ?? process.execPath])
    expect((await exited).json()).toHaveProperty('tasks')
  })
})

describe('without --json', () => {
  it('lists, logs and addresses are for people', async () => {
    const { id, createdAt } = await api.perform({ title: 'Shown\nhere', labels: ['shown'] })
    const there = commandLine({ AGENT_TASKS_URL: service.baseUrl, TZ: 'Asia/Kathmandu' })
    const local = new Date(Date.parse(createdAt) + 345 * 60_000).toISOString()
    const created = local.slice(0, 16).replace('T', ' ')
    expect((await there.run('ls', '--label', 'shown')).stdout).toMatch(
      new RegExp(
        `^ID +STATUS +AGENT +CREATED +TIME +COST +TITLE +REASON\\n${id}  completed  moody +${created} +\\d+m?s +Shown here\\n$`,
      ),
    )
    expect((await cli.run('logs', id)).stdout).toMatch(/ created\n[\s\S]+ completed\n$/)
    // There is no desktop here, so that no browser opens.
    expect((await cli.run('open', id)).stdout).toBe(`${service.baseUrl}/tasks/${id}\n`)
    expect((await cli.run('ls', '--search', 'none such')).stderr).toBe('No tasks match.\n')
  })
})

describe('a value that the service refuses', () => {
  it.each([
    [['ls', '--status', 'failed,faild'], 'status'],
    [['retry', '--filter', 'status=failed,faild'], 'filter.status'],
  ])('is named with its field: %j', async (args, field) => {
    const { code, stderr } = await cli.run(...args)
    const told = `${field}: "faild" is not one of pending, queued, in_progress, completed, failed, cancelled\n`
    expect({ code, stderr }).toEqual({ code: 1, stderr: told })
  })
})

describe('agent-tasks login', () => {
  it('pairs the device, keeps its key and session for its owner alone, and the session is used', async () => {
    const KEY = 'correct horse battery staple'
    using settings = temporaryFolder()
    await using locked = await openService({ ACCESS_KEY: KEY })
    const device = commandLine({ AGENT_TASKS_URL: locked.baseUrl, XDG_CONFIG_HOME: settings.path })
    const out = await device.run('ls')
    expect(out).toMatchObject({ code: 1, stderr: expect.stringContaining('agent-tasks login') })

    const login = device.start(['login', '--name', 'laptop', '--json'])
    const code = await until(async () => /^Code: (.+)$/m.exec(login.said.stderr)?.[1])
    const signIn = await connect(locked.baseUrl).client.verifyAccessKey.raw({ body: { key: KEY } })
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const admin = connect(locked.baseUrl, { cookie }).client
    const { requests } = await admin.listPendingPairings()
    const { attestation } = (requests[0]?.meta ?? {}) as { attestation: Record<string, unknown> }
    expect(await admin.verifyAttestation({ body: { attestation, maxAgeMs: 600_000 } })).toMatchObject({
      valid: true,
      deviceId: attestation.deviceId,
    })
    await admin.approvePairing({ body: { code } })
    const done = await login.exited
    expect([done.code, done.json()]).toMatchObject([0, { deviceId: attestation.deviceId }])
    for (const name of ['device-key.pem', 'sessions.json'])
      expect(statSync(settings.in('agent-tasks', name)).mode & 0o777).toBe(0o600)
    expect(await device.run('ls', '--json')).toMatchObject({ code: 0 })
  })
})
