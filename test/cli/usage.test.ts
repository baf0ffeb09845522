import { describe, expect, it } from '@jest/globals'
import { commands } from '../../lib/cli/main.ts'
import { runHere } from './command-line.ts'

const refusedLimits = [
  ...['', '0s', '25h', '86401s', '1.5h', '-1m', '90', '90 s', '1d', '1H', '99999h'].map((text) => [
    '--timeout',
    text,
    '1s to 24h',
  ]),
  ...['', '0', '201', '-1', '1.5', '1e2', 'many'].map((text) => ['--max-steps', text, '1 to 200']),
  ...['', '0', '0.00', '-1', '1e2', '$2', '2,50', '1000001', '.5', '0.0000001', 'NaN'].map((text) => [
    '--max-cost',
    text,
    'an amount above 0 in US dollars',
  ]),
  ...['', 'asks', 'FULL'].map((text) => ['--mode', text, 'one of deny, sandbox, allowlist, ask, full']),
  ...['', '0', '999', '0.5k', '$5', '1e5', '200kb', '-1', '9999999999'].map((text) => [
    '--budget',
    text,
    'at least 1000 tokens',
  ]),
  ...['', ',', 'gpu,', 'a,,b', 'a,b,c,d,e,f,g,h,i,j,k'].map((text) => ['--runs-on', text, '1 to 10 labels']),
] as const

describe('the command line', () => {
  it.each(refusedLimits)('run with %s=%s is refused: it must be %s', async (option, text, range) => {
    const refused = await runHere(['run', 'x', `${option}=${text}`])
    expect(refused).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining(`${option} must be ${range}`),
    })
  })

  it.each([
    [['run', 'x', '--bogus'], '--bogus', 'agent-tasks run --help'],
    [['run'], 'An argument is missing', 'agent-tasks run --help'],
    [['run', 'x', '--priority', '9'], '--priority must be 1', 'agent-tasks run --help'],
    [
      ['run', 'x', '--continue', 'task_x', '--repo', '.'],
      '--continue cannot be combined with --repo',
      'agent-tasks run --help',
    ],
    [
      ['run', 'x', '--continue', 'task_x', '--timeout', '2h'],
      '--continue cannot be combined with --timeout',
      'run --help',
    ],
    [['reply', 'task_x'], 'An argument is missing', 'agent-tasks reply --help'],
    [['reply', 'task_x', ' '], 'The message is empty', 'agent-tasks reply --help'],
    [['retry', '--filter', 'colour=red'], '--filter takes field=value', 'agent-tasks retry --help'],
    [['retry'], 'A task id or --filter', 'agent-tasks retry --help'],
    [['dlq', 'eat', 'x'], 'list, retry or discard', 'agent-tasks dlq --help'],
    [['api', 'getTask'], 'Missing parameter: id=', 'agent-tasks api --help'],
    [['runner', '--token', ''], 'Set RUNNER_TOKEN', 'agent-tasks runner --help'],
    [['runner', '--token', 'x'.repeat(31)], 'may be incomplete', 'agent-tasks runner --help'],
    [['runner', '--token', `svc_${'0'.repeat(60)}`], 'may be incomplete', 'agent-tasks runner --help'],
    [['runner', '--token', `a secret ${'x'.repeat(40)}`], 'may be incomplete', 'agent-tasks runner --help'],
    [['runner', '--token', 'f'.repeat(64), '--status-port', '0'], '--status-port must be', 'runner --help'],
    [['approve', '--deny'], 'An approval id is missing', 'approve --help'],
    [['approve', 'x', '--deny', '--always'], 'Choose one of', 'approve --help'],
    [['chat'], 'A message is missing', 'chat --help'],
    [['chat', ' '], 'The message is empty', 'chat --help'],
    [['chat', 'x', '--mode', 'all'], '--mode must be one of', 'chat --help'],
    [['schedule', 'stop', 'x'], 'ls, add, run, pause, resume, rm', 'schedule --help'],
    [['schedule', 'ls', 'x'], 'does not take an id', 'schedule --help'],
    [['schedule', 'pause'], 'An argument is missing', 'schedule --help'],
    [['schedule', 'pause', 'x', '--cron', '@daily'], 'does not take --cron', 'schedule --help'],
    [['schedule', 'add', 'x'], 'needs --cron', 'schedule --help'],
    [
      ['schedule', 'add', 'x', '--cron', '@daily', '--priority', '9'],
      '--priority must be 1',
      'schedule --help',
    ],
    [['api', 'fly', '--help'], 'Unknown operation fly', 'agent-tasks api --help'],
    [['dance'], 'Unknown command dance', 'agent-tasks --help'],
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
