import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { createGroups } from '../../lib/api/table.ts'

import { createFakeClock } from '../fakes/clock.ts'
import { openGuard, proxies } from '../fakes/guard.ts'
import { createFakeLog } from '../fakes/log.ts'
import { readText, root } from './readme.ts'

/** Steps and paragraphs of CONTRIBUTING.md: what each has in backticks. */
const steps = readText('CONTRIBUTING.md')
  .replaceAll(/```[\s\S]*?```/g, '')
  .split(/\n\n|\n(?=\d+\. |- |\| )/)
  .map((step) => [...step.matchAll(/`([^`\n]+)`/g)].map(([, quoted = '']) => quoted))

const METHODS = ['GET', 'HEAD']

describe('a step of CONTRIBUTING.md', () => {
  it('names files that there are, and in one of them each name that it has beside them', () => {
    const astray = steps.flatMap((quoted) => {
      const files = quoted.filter((one) => /^[\w.-]+\/[\w/.-]+\.(ts|yml)$/.test(one))
      const gone = files.filter((file) => !existsSync(join(root, file)))
      if (files.length === 0 || gone.length > 0) return gone
      const names = quoted.filter((one) => /^([A-Z]\w+|[a-z]+[A-Z]\w*)$/.test(one) && !METHODS.includes(one))
      const texts = files.map(readText)
      return names.filter((name) => !texts.some((text) => text.includes(name)))
    })
    expect(astray).toEqual([])
  })
})

describe('what the recipes of CONTRIBUTING.md promise to notice', () => {
  it('is a group of routes that is served and not described, or described and not served', () => {
    const http = {
      guard: openGuard,
      holds: async () => true,
      proxies,
      record: () => undefined,
      clock: createFakeClock(),
      log: createFakeLog(),
    }
    // Handlers take hold of their services when they are called, and none is.
    const groups = createGroups(http, { oauth: {} } as never)
    expect(groups.flatMap((group) => Object.keys(group.routes)).sort()).toEqual(Object.keys(routes).sort())
  })

  it.each(['store', 'queue'])(
    'is an adapter of the %s port that its contract suite does not run on',
    (port) => {
      const adapters = globSync(`lib/adapters/*/${port}.ts`, { cwd: root })
      const suite = readText(`test/contract/${port}.test.ts`)
      expect(adapters.map((name) => basename(name))).toContain(`${port}.ts`)
      expect(adapters.filter((name) => !suite.includes(`../../${name}`))).toEqual([])
    },
  )
})
