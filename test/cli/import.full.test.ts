import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { onLoopback } from '../../offline/loopback.ts'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { commandLine } from './command-line.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const writeExportFile = (content: string): string => {
  const file = folder.in(`${Math.random()}.json`)
  writeFileSync(file, content)
  return file
}
const exportText = (tasks: readonly unknown[], version = '1.0') =>
  writeExportFile(
    JSON.stringify({ version, exportedAt: '2026-01-01T00:00:00.000Z', tasks, taskCount: tasks.length }),
  )

describe('agent-tasks import', () => {
  let service: OpenedService
  let cli: ReturnType<typeof commandLine>
  beforeAll(async () => {
    service = await openService()
    cli = commandLine({ AGENT_TASKS_URL: service.baseUrl, XDG_CONFIG_HOME: folder.path })
  })
  afterAll(() => service?.[Symbol.asyncDispose]())

  it('stores each task once, names what is refused by its place in the file, and goes on when it is run again', async () => {
    const tasks: object[] = finishedTasks(1_200)
    tasks.splice(700, 0, { id: 'task_bad', title: 'no more than that' })
    const file = exportText(tasks)
    const first = await cli.run('import', file, '--json')
    expect(first.json()).toEqual({
      results: {
        imported: 1_200,
        skipped: 0,
        errors: [{ index: 700, id: 'task_bad', message: expect.any(String) }],
      },
    })
    expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/^task 700 \(task_bad\): /) })
    expect(await cli.run('import', file)).toMatchObject({
      code: 1,
      stdout: 'imported 0, skipped 1200, rejected 1\n',
    })
  })

  it('reads standard input', async () => {
    const file = exportText(finishedTasks(1_201).slice(-1))
    const { exited } = cli.start(['import', '-'], ['sh', '-c', `exec "$0" "$@" <${file}`])
    expect(await exited).toMatchObject({ code: 0, stdout: 'imported 1, skipped 0, rejected 0\n' })
  })

  it.each([
    ['is none', '[{}]', /not a task export/],
    ['has another version', '{"version":"9.0","tasks":[]}', /version/],
    ['says its version behind its tasks', '{"tasks":[{}],"version":"1.0"}', /version/],
    ['is not there', undefined, /ENOENT/],
  ])('refuses an export that %s', async (_what, content, why) => {
    const { code, stderr } = await cli.run(
      'import',
      content === undefined ? folder.in('none') : writeExportFile(content),
    )
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) })
  })
})

describe('what agent-tasks import sends', () => {
  /** A service that keeps what it is sent, and answers as often with those statuses before it takes a part. */
  const open = async (...refusals: number[]) => {
    const parts: { version: string; tasks: object[]; bytes: number }[] = []
    const server = createServer(async (request, response) => {
      const body = await text(request)
      const refusal = refusals.shift()
      if (refusal !== undefined) return void response.writeHead(refusal, { 'retry-after': '0' }).end()
      const part = JSON.parse(body)
      parts.push({ ...part, bytes: body.length })
      const results = { imported: part.tasks.length, skipped: 0, errors: [] }
      const answer = JSON.stringify({ message: 'Imported', results })
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
    const { url, stop } = await onLoopback(server)
    const cli = commandLine({ AGENT_TASKS_URL: url, XDG_CONFIG_HOME: folder.path })
    return { parts, run: (file: string) => cli.run('import', file), [Symbol.dispose]: stop }
  }

  it('is parts of 500 tasks or 2 MiB, each again while the service is busy', async () => {
    using world = await open(429, 503)
    const { parts, run } = world
    const small = Array.from({ length: 600 }, (_, n) => ({ id: `small${n}` }))
    const large = Array.from({ length: 5 }, (_, n) => ({ id: `large${n}`, prompt: 'x'.repeat(900_000) }))
    const { code, stdout } = await run(exportText([...small, ...large, { prompt: 'x'.repeat(1_048_576) }]))
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'imported 605, skipped 0, rejected 1\n' })
    expect(parts.map(({ tasks }) => tasks.length)).toEqual([500, 102, 2, 1])
    expect(Math.max(...parts.map(({ bytes }) => bytes))).toBeLessThan(2.1 * 1_048_576)
  })

  it('is all that came of a file which is cut off, and the exit code says so', async () => {
    using world = await open()
    const { parts, run } = world
    const { code, stderr } = await run(
      writeExportFile('{"version":"1.0","tasks":[{"id":"a"},{"id":"b"},{"id":'),
    )
    expect({ code, sent: parts.map(({ tasks }) => tasks) }).toEqual({
      code: 1,
      sent: [[{ id: 'a' }, { id: 'b' }]],
    })
    expect(stderr).toMatch(/incomplete.*first 2 tasks/)
  })

  it('is nothing of a file that is no export', async () => {
    using world = await open()
    const { parts, run } = world
    await run(writeExportFile('{"jobs":[1]}'))
    expect(parts).toEqual([])
  })
})
