import { readdirSync } from 'node:fs'
import * as path from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { tableDefinitions } from '../../lib/adapters/aws/dynamodb/tables.ts'
import { tables } from '../../lib/api/routes.ts'
import { tableNames } from '../../lib/app/cloud-ports.ts'
import { collections } from '../../lib/collections.ts'
import { readConfig, settingNames } from '../../lib/config/config.ts'
import type { Route } from '../../lib/http/route.ts'
import { routeMethods } from '../../lib/http/router.ts'
import { tableName, tableResources } from '../../resources/tables.ts'
import { printStage, root, type Service } from './serverless.ts'
import { ofType } from './template.ts'

const PREFIX = 'agent-task-service-prod-'

let service: Service
beforeAll(() => {
  service = printStage('prod')
})

describe('serverless.yml', () => {
  it('serves each route of every table by one function, but for those that stream', () => {
    const declared = Object.values(service.functions).flatMap(({ events = [] }) =>
      events.flatMap(({ httpApi }) => (httpApi === undefined ? [] : [httpApi])),
    )
    const served = Object.entries(tables).flatMap(([group, routes]) =>
      ['models', 'modelKeys', 'agentic', 'live'].includes(group)
        ? []
        : Object.values<Route>(routes).flatMap((route) =>
            routeMethods(route).map((method) => `${method} ${route.path.replace(/\{path\}.*/, '{path+}')}`),
          ),
    )
    expect(declared.sort()).toEqual([...served, '*'].sort())
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

describe('the tables of the stack', () => {
  const stageResources = (stage: Parameters<typeof tableResources>[1]) =>
    tableResources(tableDefinitions(collections, tableName(stage)), stage)

  it('are those of the collections', () => {
    const read = Object.fromEntries(ofType(service.resources, 'AWS::DynamoDB::Table'))
    const stage = {
      prefix: PREFIX,
      onReplacement: 'Retain',
      onRemoval: 'RetainExceptOnCreate',
      deletionProtection: false,
    }
    expect(read).toEqual(stageResources(stage).Resources)
  })

  it('have the names that functions look for', () => {
    const named = ofType(service.resources, 'AWS::DynamoDB::Table').map(
      ([, { Properties }]) => Properties.TableName,
    )
    const prefixedName = tableNames(String(service.provider.environment.TABLE_PREFIX))
    expect(named).toEqual(expect.arrayContaining(collections.map(prefixedName)))
  })
})
