import { describe, expect, it } from '@jest/globals'
import { createLog, type LogLevel } from '../../lib/adapters/node/log.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'

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
