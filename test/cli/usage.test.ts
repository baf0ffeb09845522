import { describe, expect, it } from '@jest/globals'
import { commands } from '../../lib/cli/main.ts'
import { runHere } from './command-line.ts'

describe('the command line', () => {
  it.each([
    [['run', 'x', '--bogus'], '--bogus', 'agent-tasks run --help'],
    [['run'], 'Something is missing', 'agent-tasks run --help'],
    [['run', 'x', '--priority', '9'], '--priority is 1', 'agent-tasks run --help'],
    [['retry', '--filter', 'colour=red'], '--filter takes field=value', 'agent-tasks retry --help'],
    [['retry'], 'Say which', 'agent-tasks retry --help'],
    [['dlq', 'eat', 'x'], 'list, retry or discard', 'agent-tasks dlq --help'],
    [['api', 'getTask'], 'The path needs id=', 'agent-tasks api --help'],
    [['dance'], 'There is no command dance', 'agent-tasks --help'],
  ])('%j is refused, and says what to do', async (args, reason, advice) => {
    const refused = await runHere(args)
    expect(refused).toMatchObject({ code: 64, stdout: '' })
    expect(refused.stderr).toContain(reason)
    expect(refused.stderr).toContain(advice)
  })

  it.each(commands.map(({ name }) => name))('has help for %s', async (name) => {
    const { code, stdout } = await runHere([name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: agent-tasks ${name} \\S[\\s\\S]+--json`))
  })
})
