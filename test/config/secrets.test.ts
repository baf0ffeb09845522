import { describe, expect, it } from '@jest/globals'
import { readConfig, secretNames, settingNames } from '../../lib/config/config.ts'

describe('the settings that hold a secret', () => {
  it('are these', () => {
    expect([...secretNames].sort()).toEqual([
      'ACCESS_KEY',
      'ANTHROPIC_API_KEY',
      'AZURE_API_KEY',
      'CEREBRAS_API_KEY',
      'CODEHOST_CLIENT_SECRET',
      'CODEHOST_WEBHOOK_SECRET',
      'COHERE_API_KEY',
      'DEEPSEEK_API_KEY',
      'ENCRYPTION_KEY',
      'FIREWORKS_API_KEY',
      'GOOGLE_API_KEY',
      'GROQ_API_KEY',
      'MISTRAL_API_KEY',
      'OIDC_CLIENT_SECRET',
      'OLLAMA_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'ORIGIN_SECRET',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'PERPLEXITY_API_KEY',
      'RUNNER_TOKEN',
      'TOGETHER_API_KEY',
      'TRACKERA_CLIENT_SECRET',
      'TRACKERA_WEBHOOK_SECRET',
      'TRACKERB_CLIENT_SECRET',
      'TRACKERB_WEBHOOK_SECRET',
      'XAI_API_KEY',
    ])
  })

  it('are all whose name says so, wherever in the name', () => {
    // Where things are that are secret, which key of several it is, and how many tokens a model reads.
    const windows = settingNames.filter((name) => name.endsWith('_CONTEXT_TOKENS'))
    const harmless = ['KMS_KEY_ID', 'SECRETS_PATH', 'ACCOUNT_SECRETS_PATH', ...windows]
    const named = settingNames.filter((name) => /KEY|SECRET|TOKEN(?!_URL)|PASS|CREDENTIAL|HEADERS/.test(name))
    expect(named.filter((name) => !harmless.includes(name)).sort()).toEqual([...secretNames].sort())
  })
})

describe('the value of a setting that holds a secret', () => {
  const KEY = 'planted-canary-4711'
  const secretFor = (name: string) =>
    name.endsWith('_HEADERS') ? `authorization=${KEY}` : (inForm[name] ?? KEY)
  const inForm: Readonly<Record<string, string>> = {
    ENCRYPTION_KEY: 'ab'.repeat(32),
    RUNNER_TOKEN: '0123456789abcdef'.repeat(2),
  }
  const settings = (name: string, value: string) => {
    const { given: _, secrets, tooShortToMask: __, ...read } = readConfig({ [name]: value })
    return { read, secrets: new Set(secrets) }
  }

  it.each(secretNames)('%s is read without the line breaks around it', (name) => {
    const value = secretFor(name)
    for (const around of [`${value}\n`, `${value}\r\n`, `\n${value}\n\n`])
      expect(settings(name, around)).toEqual(settings(name, value))
  })

  it.each(secretNames)('%s is refused by name when it is blank, or not one line', (name) => {
    for (const blank of [' ', '\n', ' \r\n', '\t', '\u2003\u200b', '\0'])
      expect(() => readConfig({ [name]: blank })).toThrow(`${name}: must have a visible character`)
    expect(() => readConfig({ [name]: `${KEY}\n${KEY}` })).toThrow(`${name}: must be a single line`)
  })

  it('keeps the blanks of a webhook secret and of an access key, which are part of it', () => {
    const { inbound, ACCESS_KEY } = readConfig({
      CODEHOST_WEBHOOK_SECRET: ' a b \n',
      ACCESS_KEY: 'open sesame \n',
    })
    expect([inbound.codehost.webhookSecret, ACCESS_KEY]).toEqual([' a b ', 'open sesame '])
  })
})

describe('what must not be shown', () => {
  it.each([
    ['a setting', { OPENAI_API_KEY: ' planted-canary ' }, ['planted-canary']],
    ['a setting of a webhook, blanks included', { CODEHOST_WEBHOOK_SECRET: ' planted ' }, [' planted ']],
    ['a credential of the platform', { AWS_SESSION_TOKEN: 'planted-by-the-role' }, ['planted-by-the-role']],
    ['a variable of a module', { MODULE_PASSWORD: 'planted-by-a-module' }, ['planted-by-a-module']],
    [
      'a variable of a program of an agent',
      { ACP_AGENTS: '[{"type":"a","command":"a","env":{"CLAUDE_CODE_OAUTH_TOKEN":"planted-canary"}}]' },
      ['planted-canary'],
    ],
    [
      'a header for an MCP server',
      {
        ACP_AGENTS:
          '[{"type":"a","command":"a","mcpServers":[{"name":"b","url":"https://b.example","headers":{"Authorization":"Bearer planted-canary"}}]}]',
      },
      ['Bearer planted-canary', 'planted-canary'],
    ],
    [
      'a password in a URL',
      { OPENAI_BASE_URL: 'https://me:plan%2Fted@host.example/v1' },
      ['plan%2Fted', 'plan/ted'],
    ],
    [
      'a password with a percent sign',
      { HTTPS_PROXY: 'http://me:planted-50%@proxy.example' },
      ['planted-50%'],
    ],
  ])('is %s', (_what, environment, secrets) => {
    expect(readConfig(environment).secrets).toEqual(expect.arrayContaining(secrets))
  })

  it.each([
    ['a name that says of no secret', { OIDC_CLIENT_ID: 'planted-canary-0123' }],
    ['a word in a variable that is no setting', { SOME_TOKEN: 'disabled' }],
    ['a URL without a password', { OPENAI_BASE_URL: 'https://host.example/v1' }],
  ])('is not %s', (_what, environment) => expect(readConfig(environment).secrets).toEqual([]))

  it('is named where it is too short to be masked', () => {
    const environment = {
      ACCESS_KEY: 'sesame',
      OPENAI_API_KEY: 'planted-canary',
      TRACKERA_WEBHOOK_SECRET: 'a',
    }
    expect(readConfig(environment).tooShortToMask).toEqual(['ACCESS_KEY', 'TRACKERA_WEBHOOK_SECRET'])
  })
})
