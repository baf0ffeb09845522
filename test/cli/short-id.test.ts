import { beforeAll, describe, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { openedService } from '../journeys/opened-service.ts'
import { runHere } from './command-line.ts'

const service = openedService()
const run = (...args: string[]) =>
  runHere(args, { AGENT_TASKS_URL: service().baseUrl, XDG_CONFIG_HOME: '/nonexistent' })

/** Of 2016-07-30T23:54:10.259Z, the first two of one millisecond, and of half an hour later. */
const FIRST = 'task_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const SECOND = 'task_01ARZ3NDEKTSV4RRFFQ69G5FAW'
const LATER = 'task_01ARZ5CB8KTSV4RRFFQ69G5FAX'
const AT = '2016-07-30T23:54:10.259Z'
const HALF_AN_HOUR_LATER = '2016-07-31T00:24:10.259Z'
const IMPORTED = 'release-7'

beforeAll(async () => {
  const tasks = [FIRST, SECOND, LATER, IMPORTED].map((id, at) => ({
    id,
    title: `Task ${at}`,
    status: 'failed',
    error: { code: 'x', message: `Broke ${at}` },
    ...(id === IMPORTED && { status: 'completed', question: { text: 'Ship\nit?' } }),
    createdAt: id === LATER ? HALF_AN_HOUR_LATER : AT,
  }))
  await connect(service().baseUrl).client.importTasks({ body: { version: '1.0', tasks } })
})

describe('a short id', () => {
  it.each([
    ['a whole id', FIRST, FIRST],
    ['the beginning of one', 'task_01ARZ5', LATER],
    ['digits without the kind', '01ARZ5CB8K', LATER],
    ['lower case', 'task_01arz5', LATER],
    ['all but the last digit of another', `${SECOND.slice(0, -1)}W`, SECOND],
    ['the id of a task from elsewhere', IMPORTED, IMPORTED],
    ['the beginning of such an id', 'release', IMPORTED],
  ])('names a task by %s', async (_, given, id) => {
    expect((await run('open', given)).stdout).toBe(`${service().baseUrl}/tasks/${id}\n`)
  })

  it.each([
    ['fewer than four digits', '01A'],
    ['digits of no task', '01ARZ4'],
  ])('with %s names none', async (_, given) => {
    expect(await run('open', given, '--json')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"code":"task_not_found"'),
    })
  })

  it('that fits several tasks names them, and exits 64', async () => {
    const { code, stdout, stderr } = await run('cancel', '01ARZ3')
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      '01ARZ3 matches several tasks. Enter more of the id',
      `  ${SECOND}  failed: Task 1`,
      `  ${FIRST}  failed: Task 0`,
      '',
    ])
    const { candidates, ...refusal } = JSON.parse((await run('cancel', '01ARZ3', '--json')).stdout)
    expect([refusal.code, candidates]).toEqual(['ambiguous_id', [expect.any(String), expect.any(String)]])
  })

  it.each([
    [['logs', '01ARZ5'], 0],
    [['logs', '-f', '01ARZ5'], 1],
    [['diff', '01ARZ5'], 1],
    [['cancel', '01ARZ5'], 1],
    [['reply', '01ARZ5', 'x', '--no-wait'], 0],
    [['run', 'x', '--continue', '01ARZ5', '--no-wait'], 0],
    [['retry', '01ARZ5'], 0],
  ])('is taken by %j', async (args, code) => {
    const { stderr, ...done } = await run(...args)
    expect(done.code).toBe(code)
    expect(stderr).not.toContain('not found')
  })
})

describe('agent-tasks ls', () => {
  it('says of each task why it failed and how long it ran', async () => {
    const { stdout } = await run('ls', '--filter', 'createdBefore=2017-01-01', '--filter', 'retried=false')
    const [head, ...rows] = stdout.split('\n')
    expect(head).toMatch(/^ID +STATUS +AGENT +CREATED +TIME +COST +TITLE +REASON$/)
    expect(rows[0]).toMatch(new RegExp(`^${SECOND} +failed .+ Task 1 +Broke 1$`))
  })

  it('says what a task asks', async () => {
    const { stdout } = await run('ls', '-s', IMPORTED)
    expect(stdout).toMatch(/Task 3 +asks: Ship it\? /)
  })

  it('says where a search found a task whose title does not have the words', async () => {
    const { stdout } = await run('ls', '-s', 'broke 1', '--filter', 'createdBefore=2017-01-01')
    expect(stdout).toMatch(/^ID .+ REASON +FOUND IN\n.+ Task 1 +Broke 1 +error: x: Broke 1\n$/)
    expect((await run('ls', '-s', 'Task 1')).stdout).not.toContain('FOUND IN')
  })
})
