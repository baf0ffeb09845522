import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Act } from '../../fixtures/command/agent.ts'
import { type CommandRuns, openCommandRuns, parse, print, type RunOptions, wrote } from './command-runs.ts'

let commands: CommandRuns
const open: CommandRuns['open'] = (...given) => commands.open(...given)
beforeAll(async () => {
  commands = await openCommandRuns()
})
afterAll(() => commands[Symbol.asyncDispose]())

describe('the output of a command', () => {
  const done = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}\n'
  const failed = '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}\n'

  it.each<[string, Act[], object]>([
    ['a result of an error, with exit code 0', [print(failed)], { success: false, retryable: true }],
    [
      'a result without an error, with exit code 1',
      [print(done), { act: 'exit', code: 1 }],
      { success: false, output: expect.stringContaining('ended with exit code 1') },
    ],
    ['both well', [print(done)], { success: true, output: 'Done.' }],
    ['lines after the result', [print(done), print(failed)], { success: true, output: 'Done.' }],
    ['a result without a newline', [print(done.trim())], { success: true, output: 'Done.' }],
    [
      'unknown, broken and foreign lines',
      [print('\n{"type":"later"}\n{"type":"assistant"}\n{"type":\nnull\n[1]\nwarning\n'), print(done)],
      { success: true, output: 'Done.' },
    ],
  ])('decides with its exit code how the turn ends: %s', async (_title, script, expected) => {
    expect(await open(script, parse('claude')).result).toMatchObject(expected)
  })

  it.each<[string, RunOptions, Act[], string]>([
    [
      'within text',
      parse('text'),
      [
        { act: 'printBytes', bytes: [0x61, 0xe2, 0x82] },
        { act: 'wait', ms: 100 },
        { act: 'printBytes', bytes: [0xac] },
      ],
      'a€',
    ],
    [
      'within a line of JSON',
      parse('claude'),
      [
        print('{"type":"result","subtype":"success","is_error":false,"result":"'),
        { act: 'printBytes', bytes: [0xf0, 0x9f] },
        { act: 'wait', ms: 100 },
        { act: 'printBytes', bytes: [0x98, 0x80] },
        print('"}\n'),
      ],
      '😀',
    ],
  ])('may come in parts of a character: %s', async (_title, options, script, output) => {
    expect(await open(script, options).result).toMatchObject({ output })
  })

  it('is kept in its end where it is a long text, and shown to readers in a bounded part', async () => {
    const script: Act[] = [{ act: 'print', text: 'x'.repeat(1_000), times: 12_000 }, print('\nThe end.')]
    const { result, observed } = open(script)
    const { output } = await result
    expect(output).toHaveLength(100_000)
    expect(output.endsWith('The end.')).toBe(true)
    const shown = observed.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
    expect(shown.length).toBeLessThan(1_200_000)
  })

  it('fails the turn by a line of 50 MB', async () => {
    const script: Act[] = [
      { act: 'print', text: 'x'.repeat(1_000), times: 50_000 },
      { act: 'wait', ms: 60_000 },
    ]
    await expect(open(script, parse('claude')).result).rejects.toMatchObject({ code: 'agent_protocol' })
  })

  it('is kept up to where it is too much', async () => {
    const result =
      '{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.5}\n'
    const script: Act[] = [
      wrote,
      print('Half.\n'),
      print(result),
      { act: 'print', text: '{', times: 11_000_000 },
    ]
    await expect(open(script, parse('claude')).result).rejects.toMatchObject({
      code: 'agent_protocol',
      result: {
        ...{ success: false, output: 'Done.', cost: { usd: 0.5, source: 'provider' } },
        ...{ filesChanged: [{ path: 'hello.txt' }], diff: expect.stringContaining('+hi') },
      },
      continuation: { files: { patch: expect.stringContaining('+hi') } },
    })
  })
})
