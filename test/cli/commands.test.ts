import { PassThrough } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { main } from '../../lib/cli/main.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { openedService, openService } from '../journeys/opened-service.ts'
import { runHere } from './command-line.ts'

const service = openedService()
const api = () => connect(service().baseUrl)
const environment = () => ({ AGENT_TASKS_URL: service().baseUrl, XDG_CONFIG_HOME: '/nonexistent' })
const run = (...args: string[]) => runHere(args, environment())
const json = async (...args: string[]) => {
  const { code, stdout } = await run(...args, '--json')
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return { code, answer: JSON.parse(stdout) }
}

const terminalInput = () => Object.assign(new PassThrough(), { isTTY: true })
const WRITES = 'demo: tool write_file {"path": "todo.txt", "content": "tidy"}'

describe('agent-tasks approve', () => {
  const ask = async () => {
    const task = await api().create({ title: 'Asks', prompt: WRITES, metadata: { securityMode: 'ask' } })
    const approval = await until(async () =>
      (await api().client.listApprovals()).approvals.find(({ taskId }) => taskId === task.id),
    )
    return { task, approval }
  }

  it('lists what waits with its exact arguments, and approves one by a short id', async () => {
    const { task, approval } = await ask()
    const { stdout } = await run('approve')
    expect(stdout).toContain(`${approval.id}  write_file todo.txt  (write, task ${task.id})\n`)
    expect(stdout).toContain('  {"path":"todo.txt","content":"tidy"}\n')
    expect(await json('approve')).toMatchObject({ code: 0, answer: { approvals: [{ id: approval.id }] } })
    // The beginning is a time: another call of the same minutes has it as well.
    expect(await run('approve', approval.id.slice(0, -1))).toMatchObject({ code: 1, stdout: '' })
    expect(await run('approve', approval.id.slice(-6))).toMatchObject({
      code: 0,
      stdout: `${approval.id} is approved: write_file todo.txt\n`,
    })
    await api().untilTask(task.id, 'completed')
    expect(await run('approve')).toMatchObject({ stderr: 'No tool calls need your approval.\n' })
    expect(await json('approve', approval.id)).toMatchObject({
      code: 1,
      answer: { code: 'approval_decided' },
    })
  })

  it.each([
    ['--deny', 'denied', 'deny'],
    ['--always', 'approved', 'allow-always'],
  ])('decides with %s', async (option, status, decision) => {
    const { conversation } = await api().client.createConversation({ body: {} })
    const body = { content: WRITES, securityMode: 'ask' } as const
    await api().client.sendMessageWithTools({ params: { id: conversation.id }, body })
    const [approval] = (await api().client.listApprovals()).approvals
    expect(await json('approve', approval?.id ?? '', option)).toMatchObject({
      code: 0,
      answer: { approval: { conversationId: conversation.id, status, decision } },
    })
  })
})

describe('agent-tasks schedule', () => {
  it('adds one with the options of a task, runs it, pauses it, resumes and deletes it', async () => {
    const options = [
      '--cron',
      '0 7 * * 1-5',
      '--timezone',
      'Europe/Vienna',
      '--label',
      'nightly',
      '--mode',
      'sandbox',
    ]
    const { stdout: added, stderr } = await run('schedule', 'add', 'Say hello\nto all', ...options)
    const id = added.trim()
    expect(stderr).toMatch(/^Next run: \d{4}-\d\d-\d\d \d\d:\d\d\n$/)
    const { schedule } = await api().client.getSchedule({ params: { id } })
    expect(schedule).toMatchObject({
      name: 'Say hello',
      timezone: 'Europe/Vienna',
      task: { prompt: 'Say hello\nto all', labels: ['nightly'], metadata: { securityMode: 'sandbox' } },
    })
    expect((await run('schedule')).stdout).toMatch(
      new RegExp(`^ID +NEXT +CRON +ZONE +NAME +LAST\\n${id} .+0 7 \\* \\* 1-5  Europe/Vienna  Say hello\\n$`),
    )
    const short = id.slice(0, -2)
    const { answer } = await json('schedule', 'run', short)
    expect(await api().untilTask(answer.task.id, 'completed')).toMatchObject({ source: 'cron' })
    expect(await run('schedule', 'pause', short)).toMatchObject({ stdout: 'Say hello is paused\n' })
    expect((await run('schedule', 'ls')).stdout).toContain('  paused  ')
    expect(await json('schedule', 'resume', short)).toMatchObject({ answer: { schedule: { enabled: true } } })
    const stdin = terminalInput()
    stdin.write('n\n')
    expect(await runHere(['schedule', 'rm', short], environment(), true, { stdin })).toMatchObject({
      code: 2,
    })
    expect(await run('schedule', 'rm', short)).toMatchObject({ code: 0, stdout: `${id} is deleted\n` })
    expect(await json('schedule', 'pause', id)).toMatchObject({
      code: 1,
      answer: { code: 'schedule_not_found' },
    })
    expect(await run('schedule')).toMatchObject({ stderr: 'No schedules.\n' })
  })
})

describe('agent-tasks chat', () => {
  const conversationIn = (text: string) => /conv_[0-9A-Z]+/.exec(text)?.[0] ?? ''

  it.each(['full', 'deny', 'sandbox'])(
    'prints the answer in mode %s, and goes on with --conversation',
    async (mode) => {
      const first = await run('chat', 'Say hello', '--mode', mode)
      expect(first).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^This is the scripted demo model[\s\S]+\n$/),
      })
      const id = conversationIn(first.stderr)
      expect(first.stderr).toContain(`Continue: agent-tasks chat --conversation ${id}\n`)
      const { code, answer } = await json(
        'chat',
        'And again',
        '--mode',
        mode,
        '--conversation',
        id.slice(0, -1),
      )
      expect([code, answer]).toMatchObject([
        0,
        { conversationId: id, content: expect.stringContaining('demo') },
      ])
      const { messages } = await api().client.getConversation({ params: { id } })
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    },
  )

  it('waits for a decision that is made elsewhere', async () => {
    const asking = run('chat', WRITES, '--mode', 'ask')
    const approval = await until(async () => (await api().client.listApprovals()).approvals[0])
    expect((await run('approve', approval.id)).code).toBe(0)
    const { code, stderr } = await asking
    expect(code).toBe(0)
    expect(stderr).toContain(`write_file needs approval: agent-tasks approve ${approval.id}\n`)
  })

  it('asks on a terminal, and keeps the conversation until its end', async () => {
    const stdin = terminalInput()
    for (const line of [WRITES, 'y', 'Say hello']) stdin.write(`${line}\n`)
    stdin.end()
    const { code, stderr } = await runHere(['chat', '--mode', 'ask'], environment(), true, { stdin })
    expect(code).toBe(0)
    expect(stderr).toContain('Allow write_file {"path":"todo.txt","content":"tidy"}? [y/N]')
    const { messages } = await api().client.getConversation({ params: { id: conversationIn(stderr) } })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(messages[1]?.toolCalls).toMatchObject([{ name: 'write_file', status: 'success' }])
  })

  it.each(['full', 'deny', 'ask'])('exits 1 with the reason when the turn fails in mode %s', async (mode) => {
    expect(await json('chat', 'demo: fail 400', '--mode', mode)).toMatchObject({
      code: 1,
      answer: { error: expect.stringContaining('400') },
    })
  })

  it.each(['full', 'deny', 'ask'])(
    'exits 1 with the reason when the turn is refused in mode %s',
    async (mode) => {
      expect(await json('chat', 'x', '--mode', mode, '--conversation', 'conv_none')).toMatchObject({
        code: 1,
        answer: { code: 'conversation_not_found' },
      })
    },
  )
})

describe('agent-tasks api', () => {
  it('lists with --help what an operation takes and answers', async () => {
    const { stdout } = await runHere(['api', 'filterTasks', '--help'])
    expect(stdout).toMatch(
      /^Usage: agent-tasks api filterTasks \[name=value …\]\n\nGET \/api\/tasks\/filter: /,
    )
    expect(stdout).toMatch(/\n {2}limit +integer 1 to 200, 50 by default\. Maximum number of items\n/)
    expect(stdout).toMatch(/\n {2}tasks +list of object\n {2}tasks\[\]\.id +string\n/)
    const { stdout: created } = await runHere(['api', 'createTask', '--help'])
    expect(created).toMatch(/\nBody:\n {2}title +string[^\n]*, required\. Short title that identifies/)
    expect(created).toMatch(/\nResponse, 201:\n {2}message +string\n {2}task +object/)
    expect(created).toMatch(/\n {2}idempotency-key +string/)
    expect(JSON.parse((await runHere(['api', 'createTask', '--help', '--json'])).stdout)).toEqual({
      help: created.trimEnd(),
    })
  })

  it.each(Object.keys(routes))('describes %s', async (name) => {
    expect((await runHere(['api', name, '--help'])).stdout).toMatch(/\n(?:GET|POST|PUT|PATCH|DELETE) \/api\//)
  })
})

describe('agent-tasks without a command', () => {
  const here = (
    env: Readonly<Record<string, string>>,
    startService: (of: { port: string }) => Promise<number>,
  ) => runHere([], env, true, { stdin: terminalInput(), startService })
  const neverStarted = async () => {
    throw new Error('It was started')
  }

  it('prints the address of the page where a service runs, since there is no browser', async () => {
    expect(await here(environment(), neverStarted)).toMatchObject({
      code: 0,
      stderr: `The page: ${service().baseUrl}\n`,
    })
  })

  it('starts the service where none runs, prints the address, and ends with it', async () => {
    const other = await openService()
    const { port } = new URL(other.baseUrl)
    await other[Symbol.asyncDispose]()
    const stderr = Object.assign(new PassThrough(), { isTTY: true })
    const isShown = new Promise((resolve) => stderr.on('data', (text) => /page/.test(text) && resolve(true)))
    const startService = async (given: { port: string }) => {
      expect(given).toEqual({ port })
      await using _started = await openService({ PORT: port })
      await isShown
      return 7
    }
    const streams = { stdin: terminalInput(), stdout: new PassThrough(), stderr }
    expect(await main({ args: [], env: { PORT: port }, streams, startService })).toBe(7)
  })

  it('starts nothing where AGENT_TASKS_URL names a service that does not answer', async () => {
    expect((await here({ AGENT_TASKS_URL: 'http://127.0.0.1:9' }, neverStarted)).code).toBe(3)
  })

  it('lists the commands without a terminal', async () => {
    expect(await runHere([])).toMatchObject({
      code: 64,
      stdout: expect.stringContaining('Usage: agent-tasks'),
    })
  })
})
