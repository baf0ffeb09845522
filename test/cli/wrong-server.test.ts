import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, describe, expect, it } from '@jest/globals'
import { commands } from '../../lib/cli/main.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { runHere } from './command-line.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Runs a command in this process, against a server that gives each request the same answer. */
const runAgainst = async (args: readonly string[], contentType: string, body: string, status = 200) => {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': contentType }).end(body),
  )
  const { url, stop } = await onLoopback(server)
  try {
    return { url, ...(await runHere(args, { AGENT_TASKS_URL: url, XDG_CONFIG_HOME: folder.path })) }
  } finally {
    await stop()
  }
}

const answers: readonly (readonly [what: string, contentType: string, body: string, status?: number])[] = [
  ['a page', 'text/html', '<h1>Welcome</h1>'],
  ['a text', 'text/plain', 'ok'],
  ['an object without properties', 'application/json', '{}'],
  ['a list', 'application/json', '[]'],
  [
    'properties of other kinds',
    'application/json',
    '{"tasks":{},"items":1,"events":null,"task":"x","job":[]}',
  ],
  ['that there is no such page', 'text/html', '<h1>Not found</h1>', 404],
  ['JSON that is none', 'application/json', 'ok'],
]
const EXPORT = folder.in('export.json')
writeFileSync(EXPORT, '{"version":"1.0","tasks":[{"id":"a"}]}')
const lines: readonly (readonly string[])[] = [
  ['run', 'x'],
  ['run', 'x', '--no-wait'],
  ['run', 'x', '--continue', 'task_x'],
  ['reply', 'task_x', 'x'],
  ['reply', 'task_x', 'x', '--no-wait'],
  ['ls'],
  ['logs', 'task_x'],
  ['logs', '-f', 'task_x'],
  ['diff', 'task_x'],
  ['cancel', 'task_x'],
  ['retry', 'task_x'],
  ['retry', '--filter', 'status=failed'],
  ['dlq'],
  ['dlq', 'discard', 'dlq_x'],
  ['approve'],
  ['approve', 'apv_x'],
  ['chat', 'x'],
  ['chat', 'x', '--mode', 'full', '--conversation', 'conv_x'],
  ['chat', 'x', '--mode', 'deny', '--conversation', 'conv_x'],
  ['chat', 'x', '--mode', 'ask', '--conversation', 'conv_x'],
  ['schedule'],
  ['schedule', 'add', 'x', '--cron', '@daily'],
  ['schedule', 'run', 'x'],
  ['schedule', 'pause', 'x'],
  ['schedule', 'rm', 'x', '--yes'],
  ['import', EXPORT],
  ['open', 'task_x'],
  ['login'],
]

describe('a server that is not the service', () => {
  it.each(answers)('and answers %s is named by every command, with exit code 3', async (_, ...answer) => {
    for (const args of lines) {
      const { url, code, stdout, stderr } = await runAgainst(args, ...answer)
      expect({ args, code, stdout, stderr }).toEqual({
        args,
        code: 3,
        stdout: '',
        stderr: `${url} does not respond like this service. Check that AGENT_TASKS_URL is its address\n`,
      })
    }
  })

  it('is tried with every command but api, which has a test below, and runner, which is a program of its own', () => {
    const tried = new Set([...lines.map(([name]) => name), 'api', 'runner'])
    expect(commands.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
  })

  it('may be a proxy of the service where it says that the service is away', async () => {
    const { code, stderr } = await runAgainst(['ls'], 'text/html', '<h1>Bad gateway</h1>', 502)
    const said = 'The service answered 502. Check that AGENT_TASKS_URL is the address of the service.\n'
    expect({ code, stderr }).toEqual({ code: 1, stderr: said })
  })

  it('is named by api where its answer has another content type than the operation', async () => {
    const page = await runAgainst(['api', 'getTask', 'id=x', '--json'], 'text/html', '<h1>Welcome</h1>')
    expect(page).toMatchObject({ code: 3, stdout: expect.stringContaining('"code":"wrong_server"') })
  })
})
