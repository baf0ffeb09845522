import { PassThrough } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { createLogLines } from '../../lib/cli/log-lines.ts'
import { createTerminal, safeLine, safeText } from '../../lib/cli/terminal.ts'

const streams = (isTTY: boolean) => {
  const stream = () => Object.assign(new PassThrough(), { isTTY })
  return { stdin: stream(), stdout: stream(), stderr: stream() }
}

describe('a terminal', () => {
  it.each([
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
  ])('that is one: %s, with %j, has colours: %s', (isTTY, env, coloured) => {
    expect(createTerminal(streams(isTTY), env).paint('red', 'text') !== 'text').toBe(coloured)
  })

  it.each([
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u009b2J\u0085', '\\u009b2J\\u0085', '\\u009b2J\\u0085'],
    ['one\r\ntwo\tthree', 'one\ntwo\tthree', 'one two three'],
    ['\u202egnp.exe', '\\u202egnp.exe', '\\u202egnp.exe'],
  ])('is shown %j as text only', (given, text, line) => {
    expect([safeText(given), safeLine(given)]).toEqual([text, line])
  })
})

describe('the lines of a log', () => {
  it('have the words of a model by line, and its calls in place of progress once its session is followed', () => {
    const printed: string[] = []
    const lines = createLogLines({ paint: (_format, text) => text }, (line) => printed.push(line.slice(10)))
    const at = (second: number) => Date.parse(`2026-01-01T00:00:0${second}Z`)
    const event = (type: 'started' | 'progress', second: number, message?: string) => ({
      id: `evt_${second}`,
      taskId: 'task_1',
      type,
      timestamp: new Date(at(second)).toISOString(),
      attempt: 1,
      ...(message === undefined ? {} : { message }),
    })
    lines.task(event('started', 1))
    lines.task(event('progress', 2, 'Step 1'))
    lines.session({ type: 'step:start', data: { step: 1 }, timestamp: at(2) })
    lines.session({ type: 'content', data: { text: 'I look\nat ' }, timestamp: at(3) })
    lines.session({ type: 'content', data: { text: 'it' }, timestamp: at(3) })
    lines.session({
      type: 'tool:call',
      data: { name: 'read_file', arguments: { path: 'a' } },
      timestamp: at(4),
    })
    lines.task(event('progress', 1, 'Cloning'))
    lines.task(event('progress', 4, 'read_file a'))
    expect(printed).toEqual([
      'started    attempt 1',
      'progress   Step 1',
      'says       I look',
      'says       at it',
      'tool       read_file {"path":"a"}',
      'progress   Cloning',
    ])
  })
})
