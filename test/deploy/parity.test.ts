import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { queueDefinitions } from '../../lib/adapters/aws/sqs/definitions.ts'
import { tables } from '../../lib/api/routes.ts'
import { tableNames } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig, settingNames } from '../../lib/config/config.ts'
import type { Route } from '../../lib/http/route.ts'
import { methodsOf } from '../../lib/http/router.ts'
import { functionAlarms, functionsIn } from '../../resources/alarms.ts'
import { anyStage, tableName, tableResources } from '../../resources/tables.ts'
import { toYaml } from '../../resources/yaml.ts'
import { printStage, root, type Service } from './serverless.ts'
import { ofType, referencesIn } from './template.ts'

/** The function that serves a group of routes, where it has another name. */
const FUNCTION_OF: Readonly<Record<string, string>> = {
  api: 'openapi',
  accounts: 'auth',
  users: 'auth',
  oauth: 'auth',
  audit: 'settings',
  approvals: 'security',
  tokens: 'gateway',
  connections: 'webhooks',
  disconnects: 'auth',
}
/** What calls models, whose keys the streaming function alone has, and what never ends; the distribution sends it there. */
const STREAMED_ONLY: readonly string[] = ['models', 'agentic', 'live']
const PREFIX = 'agent-task-service-dev-'

/** What the HTTP API has of a route: it takes a parameter with slashes only as the end of a path. */
const pathAtGateway = ({ path, wildcard }: Route) => (wildcard ? path.replace(/\{(\w+)\}.*$/, '{$1+}') : path)

let service: Service
beforeAll(() => {
  service = printStage('dev')
}, 60_000)

describe('serverless.yml', () => {
  it('has each route of every table under the function of its group, and no other', () => {
    const declared = Object.entries(service.functions).flatMap(([name, { events = [] }]) =>
      events.flatMap(({ httpApi }) => (httpApi === undefined ? [] : [`${name}: ${httpApi}`])),
    )
    const served = Object.entries(tables).flatMap(([group, routes]) =>
      STREAMED_ONLY.includes(group)
        ? []
        : Object.values(routes).flatMap((route) =>
            methodsOf(route).map(
              (method) => `${FUNCTION_OF[group] ?? group}: ${method} ${pathAtGateway(route)}`,
            ),
          ),
    )
    expect(declared.sort()).toEqual([...served, 'ui: *'].sort())
  })

  it('has a function for every file in functions/ that is one, and no other', () => {
    const files = readdirSync(path.join(root, 'functions'), { recursive: true, encoding: 'utf8' })
      // What the page is built from and by is in no function.
      .filter((name) => name.endsWith('.ts') && !/^ui\/(?!handler)/.test(name))
      .map((name) => `functions/${name}`)
    const named = Object.values(service.functions).flatMap(({ handler, image }) => [
      ...(handler ? [handler.replace(/\.handler$/, '.ts')] : []),
      ...(image?.command ?? []).filter((word) => word.startsWith('functions/')),
    ])
    // What npm start runs is no function.
    expect([...named, 'functions/local.ts'].sort()).toEqual(files.sort())
  })

  it('gives functions no variable that is not read', () => {
    const given = [service.provider, ...Object.values(service.functions)].flatMap(({ environment = {} }) =>
      Object.keys(environment),
    )
    const read = (name: string) => settingNames.includes(name) || name.startsWith('AWS_LWA_')
    expect([...new Set(given)].filter((name) => !read(name))).toEqual([])
  })

  it('gives functions variables that the service takes, where they do not name a resource', () => {
    for (const { environment = {} } of Object.values(service.functions)) {
      const all = Object.entries({ ...service.provider.environment, ...environment })
      const plain = all.filter(([, value]) => typeof value !== 'object')
      expect(() =>
        readConfig(Object.fromEntries(plain.map(([name, value]) => [name, String(value)]))),
      ).not.toThrow()
    }
  })
})

describe('resources/tables.yml', () => {
  const resourcesOf = (stage: Parameters<typeof tableResources>[1]) =>
    tableResources(tableDefinitions(collections, tableName(stage)), stage)

  it('is what the collections are; if not, run: npm run tables', () => {
    const text = readFileSync(path.join(root, 'resources/tables.yml'), 'utf8')
    expect(text.replace(/^#.*\n/, '')).toBe(toYaml(resourcesOf(anyStage)))
  })

  it('is read as what it was made from', () => {
    const read = Object.fromEntries(ofType(service.resources, 'AWS::DynamoDB::Table'))
    const stage = { prefix: PREFIX, onReplacement: 'Delete', onRemoval: 'Delete', deletionProtection: false }
    expect(read).toEqual(resourcesOf(stage).Resources)
  })

  it('has the tables by the names that functions look for', () => {
    const named = ofType(service.resources, 'AWS::DynamoDB::Table').map(
      ([, { Properties }]) => Properties.TableName,
    )
    const nameOf = tableNames(String(service.provider.environment.TABLE_PREFIX))
    expect(named).toEqual(expect.arrayContaining(collections.map(nameOf)))
  })

  it.each(['no: yes', '', 'true', '# hidden', '- item', '2026', 'a:', 'a #b', 'a ', 'a: b'])(
    'has no text that needs quotes: %j',
    (text) => {
      expect(() => toYaml({ text })).toThrow(TypeError)
    },
  )
})

describe('resources/alarms-functions.yml', () => {
  it('is what the functions are; if not, run: npm run tables', () => {
    const text = readFileSync(path.join(root, 'resources/alarms-functions.yml'), 'utf8')
    const files = readdirSync(path.join(root, 'functions'))
    const { Resources } = functionAlarms(functionsIn(files), anyStage)
    expect(text.replace(/^#.*\n/, '')).toBe(toYaml({ Resources }))
  })
})

describe('resources/queues.yml', () => {
  it('has the queues that the code knows, as it wants them for the functions behind them', () => {
    const { QUEUE_NAME, QUEUE_NOTIFICATION_NAME } = readConfig({})
    const seconds = (name: string) => 1_000 * Number(service.functions[name]?.timeout)
    const timeouts = { taskTimeoutMs: seconds('worker'), notificationTimeoutMs: seconds('notify') }
    const wanted = queueDefinitions({ QUEUE_NAME, QUEUE_NOTIFICATION_NAME }, timeouts).map(
      ({ name, visibilityTimeout, messageRetention, deadLetters }) => ({
        name: PREFIX + name,
        visibilityTimeout,
        messageRetention,
        ...(deadLetters ? { deadLetters: { ...deadLetters, queue: PREFIX + deadLetters.queue } } : {}),
      }),
    )
    const nameOf = (arn: unknown) =>
      service.resources.Resources[referencesIn(arn)[0] ?? '']?.Properties.QueueName
    // No code takes from the queue of what the stream function gave up on, and the bucket fills that of its events.
    const ofAws = ['StreamFailures', 'MemoryEvents']
    const queues = ofType(service.resources, 'AWS::SQS::Queue').filter(([name]) => !ofAws.includes(name))
    const declared = queues.map(([, { Properties }]) => ({
      name: Properties.QueueName,
      visibilityTimeout: Properties.VisibilityTimeout,
      messageRetention: Properties.MessageRetentionPeriod,
      ...(Properties.RedrivePolicy
        ? {
            deadLetters: {
              queue: nameOf(Properties.RedrivePolicy.deadLetterTargetArn),
              maxReceiveCount: Properties.RedrivePolicy.maxReceiveCount,
            },
          }
        : {}),
    }))
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
    expect(declared.sort(byName)).toEqual(wanted.sort(byName))
  })
})
