import { describe, expect, it } from '@jest/globals'
import { acpPrograms } from '../../lib/adapters/agents/acp/catalog.ts'
import { commandPrograms } from '../../lib/adapters/agents/command/catalog.ts'
import { readConfig } from '../../lib/config/config.ts'

const read = (ACP_AGENTS: string) => readConfig({ ACP_AGENTS }).ACP_AGENTS

describe('ACP_AGENTS', () => {
  it.each([
    ['no JSON', 'claude', 'must be a JSON list of objects with type and command'],
    ['no list', '{"type":"a"}', 'must be a list'],
    ['no command', '[{"type":"a"}]', '0.command: is required'],
    [
      'a type that is no word',
      '[{"type":"A b","command":"a"}]',
      '0.type: must be at most 50 lowercase letters',
    ],
    ['an unknown field', '[{"type":"a","command":"a","cmd":"b"}]', 'has unknown fields: cmd'],
    ['an unknown provider', '[{"type":"a","command":"a","provider":"groq"}]', '0.provider: must be one of'],
    ['a relative folder', '[{"type":"a","command":"a","reads":["lib"]}]', 'must be an absolute path'],
    [
      'a wrong variable',
      '[{"type":"a","command":"a","env":{"A B":"1"}}]',
      'must be the name of an environment variable',
    ],
    [
      'a server of tools without a place',
      '[{"type":"a","command":"a","mcpServers":[{"name":"b"}]}]',
      '0.mcpServers.0: must have name and command, or name and url',
    ],
    ['one type twice', '[{"type":"a","command":"a"},{"type":"a","command":"b"}]', 'two agents are of type a'],
  ])('is refused with its fault: %s', (_title, value, message) => {
    expect(() => read(value)).toThrow(`ACP_AGENTS: `)
    expect(() => read(value)).toThrow(message)
  })

  it('has each preset ask before it changes something', () => {
    const [claude, codex, opencode] = acpPrograms([], [])
    expect([claude?.mode, codex?.mode]).toEqual(['default', 'read-only'])
    const access = {
      origin: 'http://127.0.0.1:1',
      token: 't',
      kinds: ['openai' as const],
      models: { openai: 'gpt-5' },
    }
    const { OPENCODE_CONFIG_CONTENT = '' } = opencode?.brokerEnv?.(access) ?? {}
    const { CODEX_CONFIG = '' } = codex?.brokerEnv?.(access) ?? {}
    expect(JSON.parse(CODEX_CONFIG)).toMatchObject({ model: 'gpt-5' })
    expect(JSON.parse(OPENCODE_CONFIG_CONTENT)).toMatchObject({
      enabled_providers: ['openai'],
      model: 'openai/gpt-5',
      permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' },
      provider: { openai: { options: { baseURL: 'http://127.0.0.1:1/openai/v1', apiKey: 't' } } },
    })
  })

  it('adds programs, and replaces those of its types', () => {
    const given = read(
      '[{"type":"codex","command":"/opt/codex","provider":"none","env":{"A":"1"}},{"type":"mine","command":"mine","provider":"google"}]',
    )
    const programs = acpPrograms(given, [])
    expect(programs.map(({ type }) => type)).toEqual(['claude-code', 'opencode', 'codex', 'mine'])
    const [, , codex, mine] = programs
    expect(codex).toMatchObject({
      name: 'Codex',
      command: '/opt/codex',
      authMethod: 'api-key',
      env: { NO_BROWSER: '1', A: '1' },
      providers: [],
    })
    expect(codex?.install).toBeUndefined()
    expect(mine).toEqual({ type: 'mine', name: 'mine', command: 'mine', args: [], providers: ['google'] })
  })
})

describe('COMMAND_AGENTS', () => {
  const readCommands = (COMMAND_AGENTS: string) => readConfig({ COMMAND_AGENTS }).COMMAND_AGENTS

  it.each([
    [
      'no place for the task',
      '[{"type":"a","command":"a","args":["-p"],"parse":"text"}]',
      '0.args: must contain {prompt}',
    ],
    ['no arguments', '[{"type":"a","command":"a","parse":"text"}]', '0.args: is required'],
    [
      'nothing to read its output as',
      '[{"type":"a","command":"a","args":["{prompt}"]}]',
      '0.parse: is required',
    ],
    [
      'an unknown way',
      '[{"type":"a","command":"a","args":["{prompt}"],"parse":"json"}]',
      '0.parse: must be one of',
    ],
  ])('is refused with its fault: %s', (_title, value, message) => {
    expect(() => readCommands(value)).toThrow(`COMMAND_AGENTS: `)
    expect(() => readCommands(value)).toThrow(message)
  })

  it('adds commands, and replaces the preset of their types', () => {
    const given = readCommands('[{"type":"codex","command":"codex","args":["{promptFile}"],"parse":"text"}]')
    expect(commandPrograms(given)).toEqual([
      {
        type: 'codex',
        name: 'codex',
        command: 'codex',
        args: ['{promptFile}'],
        parse: 'text',
        providers: [],
      },
    ])
    expect(acpPrograms([], given).map(({ type }) => type)).toEqual(['claude-code', 'opencode'])
  })
})
