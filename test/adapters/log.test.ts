import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { createLog, type LogLevel, turnOutput } from '../../lib/adapters/node/log.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { compiled } from '../fakes/compiled.ts'

const written = (level: LogLevel = 'info') => {
  const lines: string[] = []
  const log = createLog({ level, masker: createMasker([]), to: { write: (line) => void lines.push(line) } })
  return { log, lines, entries: () => lines.map((line) => JSON.parse(line)) }
}

describe('the log', () => {
  it('writes one JSON line per event, with its time, level and message', () => {
    const { log, lines, entries } = written()
    log.info({ route: 'createTask', status: 201 }, 'request')
    log.warn({}, 'two\nlines')
    expect(lines.map((line) => line.indexOf('\n') === line.length - 1)).toEqual([true, true])
    expect(entries()[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      route: 'createTask',
      status: 201,
      msg: 'request',
    })
    expect(entries()[1]).toMatchObject({ level: 'warn', msg: 'two\nlines' })
  })

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('at level %s writes %j', (level, heard) => {
    const { log, entries } = written(level)
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]({}, each)
    expect(entries().map((entry) => entry.level)).toEqual(heard)
  })

  it('masks secrets in fields of any depth and in the message', () => {
    const { log, lines } = written()
    const fields = {
      headers: { authorization: 'Bearer canary-1', cookie: 'svc_session=canary-2' },
      provider: { options: { apiKey: 'canary-3' } },
      list: [{ token: 'canary-4' }],
    }
    log.error(fields, 'refused Bearer canary-55 of the caller')
    expect(lines.join('')).not.toContain('canary')
    expect(lines.join('')).toContain('refused Bearer [masked] of the caller')
  })

  it('writes errors with their fields, cause and stack, without their secrets', () => {
    const { log, entries } = written()
    const cause = new Error('401 for https://user:hunter22@host/')
    log.error({ err: new Problem('unavailable', 'provider_error', 'down', { cause }) }, 'step failed')
    expect(entries()[0].err).toMatchObject({
      type: 'Problem',
      code: 'provider_error',
      message: 'down',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'Error', message: '401 for https://user:[masked]@host/' },
    })
  })

  it('has no half of a character', () => {
    const { log, lines, entries } = written()
    log.error({ err: new Error('a\ud83d'), list: ['\ude00'] }, 'b\ud83d')
    expect(lines.join('')).not.toMatch(/\\ud[89a-f]/)
    expect(entries()[0]).toMatchObject({ err: { message: 'a\ufffd' }, list: ['\ufffd'], msg: 'b\ufffd' })
  })

  it('survives what cannot be written', () => {
    const { log, entries } = written()
    const loop: Record<string, unknown> = { name: 'loop' }
    loop.self = loop
    const trap = Object.defineProperty({}, 'boom', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    log.info(loop, 'loop')
    log.info({ trap, big: 1n }, 'trap inside')
    log.info(trap, 'trap')
    expect(entries().map((entry) => entry.msg)).toEqual(['loop', 'trap inside', 'trap'])
    expect(entries()[1]).toMatchObject({ trap: '[unreadable]', big: '1' })
  })
})

describe('what a terminal would obey', () => {
  it.each(['\u001b[2J', '\u007f', '\u009b2J', '\u0085', '\u2028', '\u061c', '\u200f', '\u202e', '\u2066'])(
    'is escaped in a line, which has the same value (%j)',
    (text) => {
      const { log, lines, entries } = written()
      log.info({ path: `a${text}b`, [`key${text}`]: 1 }, `message${text}`)
      expect(lines.join('')).toMatch(/^[\n -~]*$/)
      expect(entries()[0]).toMatchObject({ path: `a${text}b`, [`key${text}`]: 1, msg: `message${text}` })
    },
  )

  it('is escaped in the plain line of a request', () => {
    const request = {
      requestId: 'req_1',
      method: 'GET',
      path: '/a\u009b2J',
      status: 200,
      ms: 1.5,
      user: 'local',
    }
    const plain = 'GET /a\\u009b2J 200 1.5 ms local req_1\n'
    expect(requestLines('debug', true, request)).toEqual([plain])
  })
})

const requestLines = (level: LogLevel, onTerminal: boolean, request: object) => {
  const lines: string[] = []
  const to = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level, onTerminal, masker: createMasker([]), to })
  log.info(request, 'request')
  return lines
}

describe('the line of a request', () => {
  const request = {
    requestId: 'req_1',
    method: 'GET',
    path: '/api/tasks',
    status: 200,
    ms: 1.5,
    user: 'local',
  }
  const plain = 'GET /api/tasks 200 1.5 ms local req_1\n'

  it.each([
    ['debug', true, [plain]],
    ['info', true, []],
    ['warn', true, []],
    ['debug', false, [expect.stringMatching(/^\{.*"msg":"request"\}\n$/)]],
    ['info', false, [expect.stringMatching(/^\{.*"msg":"request"\}\n$/)]],
    ['warn', false, []],
  ] as const)('at level %s, on a terminal: %s, is %j', (level, onTerminal, expected) => {
    expect(requestLines(level, onTerminal, request)).toEqual(expected)
  })

  it('is the only one that a terminal is spared', () => {
    const lines: string[] = []
    const to = { write: (line: string) => void lines.push(line) }
    const log = createLog({ level: 'info', onTerminal: true, masker: createMasker([]), to })
    for (const message of ['request', 'request failed', 'task']) log.info({}, message)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['request failed', 'task'])
  })
})

describe('lines of one turn', () => {
  const written = () => {
    const writes: string[] = []
    const to = turnOutput({ write: (text) => void writes.push(text) })
    return { writes, log: createLog({ level: 'info', masker: createMasker([]), to }) }
  }
  const messages = (writes: readonly string[]) =>
    writes.map((text) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    )

  it('are written together when it ends', async () => {
    const { log, writes } = written()
    log.info({}, 'one')
    log.warn({}, 'two')
    expect(writes).toEqual([])
    await new Promise(setImmediate)
    log.info({}, 'three')
    await new Promise(setImmediate)
    expect(messages(writes)).toEqual([['one', 'two'], ['three']])
  })

  it('are written at once with an error', () => {
    const { log, writes } = written()
    log.info({}, 'before')
    log.error({}, 'error')
    expect(messages(writes)).toEqual([['before', 'error']])
  })

  it('are written at once when they are many', () => {
    const { log, writes } = written()
    log.info({ text: 'x'.repeat(70_000) }, 'long')
    expect(messages(writes)).toEqual([['long']])
  })
})

describe('the lines of a process that ends', () => {
  const program = join(import.meta.dirname, 'log-program.ts')
  const programOutput = (end: string, where = '') =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [program, end, where], { env: { ...compiled } }, (_error, stdout) =>
        resolve(stdout),
      )
    })

  it('are lost where standard output was closed, and the process goes on', async () => {
    const child = spawn(process.execPath, [program, 'a closed output'], { env: { ...compiled } })
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([7, null])
  })

  it.each([
    ['by itself', ['an earlier turn', 'the last turn'], ''],
    ['process.exit', ['an earlier turn', 'the last turn'], ''],
    ['an uncaught exception', ['an earlier turn', 'the last turn'], ''],
    ['an unhandled rejection', ['an earlier turn', 'the last turn'], ''],
    ['SIGKILL', ['an earlier turn'], ''],
    // Lambda freezes it with its answer.
    ['SIGKILL', ['an earlier turn', 'the last turn'], 'in a function'],
  ])('are written, but those of one turn where it is killed: %s', async (end, messages, where) => {
    const lines = (await programOutput(end, where)).split('\n').filter(Boolean)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(messages)
  })
})
