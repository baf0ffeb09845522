import { existsSync, globSync, readdirSync } from 'node:fs'
import * as path from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { catalog } from '../../lib/adapters/models/catalog.ts'
import { readConfig, settingNames } from '../../lib/config/config.ts'
import { Environment } from '../../lib/config/environment.ts'
import { PROVIDER_KINDS } from '../../lib/config/families.ts'
import { securityModes } from '../../lib/core/security-mode.ts'
import { defaultPolicy } from '../../lib/security/schema.ts'
import { everySetting } from '../../lib/settings/schema.ts'
import { TASK_STATUSES, transitions, verbEvents } from '../../lib/tasks/machine.ts'
import { conversationTools } from '../../lib/tools/catalog.ts'
import { guards } from '../../lib/tools/guards.ts'
import { modePolicy } from '../../lib/tools/policy.ts'
import { risks } from '../../lib/tools/schema.ts'
import { VERSION } from '../../lib/version.ts'
import { errorCodes } from './error-codes.ts'
import { blocks, codeWords, listed, pages, readme, readText, root, tableRows } from './readme.ts'

/** The lifecycle as a drawing: verbs that lead the same way share an arrow. */
const drawing = () => {
  const arrows = TASK_STATUSES.flatMap((from) => {
    const verbs = Object.entries(transitions[from])
    const targets = [...new Set(verbs.map(([, to]) => to))]
    const named = (to: string) => verbs.filter(([, target]) => target === to).map(([verb]) => verb)
    return targets.length === 0
      ? [`${from} --> [*]`]
      : targets.map((to) => `${from} --> ${to}: ${named(to).join(', ')}`)
  })
  return ['stateDiagram-v2', '[*] --> queued', ...arrows].join('\n  ')
}

describe('the page of the lifecycle', () => {
  it('is drawn from the table of transitions', () => {
    expect(blocks('mermaid').map((block) => block.trim())).toEqual([drawing()])
  })

  it('names every verb with its event', () => {
    expect(tableRows('verb').map(([verb, event]) => [verb, event])).toEqual(Object.entries(verbEvents))
  })
})

describe('the configuration', () => {
  const { AGENT_UIDS, ...others } = readConfig({})
  const config: Readonly<Record<string, unknown>> = {
    ...others,
    AGENT_UIDS: `${AGENT_UIDS.first}-${AGENT_UIDS.last}`,
  }
  const defaultText = (name: string) =>
    // These defaults are stored otherwise than they are written: as absolute paths.
    ['DATA_DIR', 'MEMORY_DIR'].includes(name)
      ? `./${path.relative('.', String(config[name]))}`
      : String(config[name] ?? '')
  const read = settingNames.map((name) => [name, defaultText(name)]).sort()

  it('has every variable with its default in its page, and no other', () => {
    const shown = tableRows('variable').flatMap(([names = '', value = '']) =>
      names.split(', ').map((name) => [name, value === '–' ? '' : value]),
    )
    expect(shown.sort()).toEqual(read)
  })

  it('has every variable with its default in .env.example, and no other', () => {
    const lines = [...readText('.env.example').matchAll(/^(\w+)=(.*)$/gm)]
    const given = lines.map(([, name = '', value = '']) => [name, value])
    // PATH comes with the shell that reads the file; setting it there would take the shell's programs away.
    expect(given.sort()).toEqual(read.filter(([name]) => name !== 'PATH'))
  })

  it('starts with every line of .env.example', () => {
    expect(() => readConfig(parseEnv(readText('.env.example')) as Record<string, string>)).not.toThrow()
  })

  it('has no variable that nothing reads', () => {
    const sources = globSync('{lib,functions,offline,bin}/**/*.{ts,tsx,js}', {
      exclude: ['functions/ui/dist/**'],
    })
    const words = new Set(
      sources
        .filter((file) => file !== 'lib/config/environment.ts')
        .flatMap((file) => readText(file).match(/\w+/g) ?? []),
    )
    expect(Object.keys(Environment.shape).filter((name) => !words.has(name))).toEqual([])
  })

  it('has a variable for each setting that admins change at run time', () => {
    expect(
      everySetting.map(({ variable }) => variable).filter((name) => !(name in Environment.shape)),
    ).toEqual([])
  })

  it('lists the providers that there are, with what they default to', () => {
    const listed = tableRows('provider').map((row) => row.slice(0, 3))
    const known = Object.entries(catalog)
    expect(listed).toEqual(known.map(([kind, entry]) => [kind, entry.defaultModel, entry.defaultBaseUrl]))
    expect(PROVIDER_KINDS).toEqual(known.map(([kind]) => kind))
    expect(tableRows('provider').map(([kind, , , needs]) => [kind, needs])).toEqual(
      known.map(([kind, { requires }]) => [kind, requires]),
    )
  })
})

describe('the pages', () => {
  it('names the guards', () => {
    expect(codeWords()).toEqual(expect.arrayContaining(guards.map(({ name }) => name)))
  })

  it('lists the tools of conversations, those of tasks first, the modes and the policy as the code has them', () => {
    const needs = { outbound: {}, clock: {} } as never as Parameters<typeof conversationTools>[0]
    expect(tableRows('tool').map(([name, risk]) => [name, risk])).toEqual(
      conversationTools(needs).map(({ name, risk }) => [name, risk]),
    )
    expect(tableRows('security mode')).toEqual(
      securityModes.map((mode) => [mode, ...risks.map((risk) => modePolicy[mode][risk])]),
    )
    expect(tableRows('field of the policy').map(([name, value]) => [name, value])).toEqual(
      Object.entries(defaultPolicy).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    )
  })

  it('maps every folder of lib/', () => {
    const foldersIn = (folder: string) =>
      readdirSync(path.join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${folder}${name}/`)
    const mapped = tableRows('folder').map(([name]) => name)
    const folders = [
      ...foldersIn('lib/').filter((name) => name !== 'lib/adapters/'),
      ...foldersIn('lib/adapters/'),
    ]
    expect(folders.filter((name) => !mapped.includes(name))).toEqual([])
  })

  it('names only files and folders that are there', () => {
    const named = codeWords().filter((word) => /^[\w.][\w./-]*(?:\/|\.(?:ts|js|json))$/.test(word))
    const ours = named.filter((word) => word.includes('/'))
    const isThere = (word: string) => ['', 'lib/'].some((above) => existsSync(path.join(root, above, word)))
    expect(ours.length).toBeGreaterThan(20)
    expect(ours.filter((word) => !isThere(word))).toEqual([])
  })

  it('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> }
    const named = [...readme.matchAll(/npm run ([a-z]+(?::[a-z]+)?)/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it.each(pages)('link only to headings and files that are there: %s', (page) => {
    const links = [...pageProse(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    const isThere = (link: string) => {
      const [file = '', heading] = link.split('#')
      const target = file === '' ? page : path.join(path.dirname(page), file)
      return (
        existsSync(path.join(root, target)) &&
        (heading === undefined || pageHeadings(target).includes(heading))
      )
    }
    expect(links.filter((link) => !/^https?:/.test(link) && !isThere(link))).toEqual([])
  })

  it('are listed in the contents of README.md, each once', () => {
    const withoutReadme = pages.filter((page) => page.startsWith('docs/'))
    expect([...listed].sort()).toEqual([...withoutReadme].sort())
  })

  it('begin with a README of 200 lines at most', () => {
    expect(readText('README.md').split('\n').length - 1).toBeLessThanOrEqual(200)
  })
})

describe('the page of errors', () => {
  const page = readText('docs/reference/errors.md')
  const { codes, unread } = errorCodes()
  const split = (names = '') => names.split(', ')

  it('has every code that the sources have, and no other', () => {
    const headers = ['code', 'code of a task', 'code of a tool', 'code of a start', 'code in the log']
    const told = headers.flatMap((first) => tableRows(first, page)).flatMap(([names]) => split(names))
    const inProse = [...page.matchAll(/^`(\w+)`, in lower case|`(\w+)` is why/gm)].flatMap(([, ...names]) =>
      names.filter((name) => name !== undefined),
    )
    expect(codes.size).toBeGreaterThan(150)
    expect([...new Set([...told, ...inProse])].sort()).toEqual([...codes.keys()].sort())
  })

  it('says the status of each code that requests are answered with', () => {
    const wrong = tableRows('code', page).filter(([code = '', statuses]) =>
      split(statuses).some((status) => !codes.get(code)?.has(Number(status))),
    )
    expect(wrong).toEqual([])
  })

  it('knows every code: none is made of what is only known at run time', () => {
    expect(unread).toEqual([])
  })
})

/** A page without its blocks, in which a link is none. */
const pageProse = (page: string) => readText(page).replaceAll(/^```.*?^```$/gms, '')

/** The anchors of a page's headings, as GitHub makes them. */
const pageHeadings = (page: string): string[] =>
  [...pageProse(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

describe('the page of what is stuck', () => {
  it('has lines of the log that the sources write', () => {
    const sources = globSync(['lib/**/*.ts', 'functions/*.ts'], { cwd: root }).map(readText).join('\n')
    const lines = tableRows('line of the log').flatMap(([names = '']) => names.split(', '))
    expect(lines.length).toBeGreaterThan(10)
    // A number is put in when the line is written.
    const beginnings = lines.map((line) => line.replace(/\d.*/, ''))
    expect(beginnings.filter((one) => !["'", '`'].some((quote) => sources.includes(quote + one)))).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  it('begins with the version of the service', () => {
    expect(/^## \[([\d.]+)\]/m.exec(readText('CHANGELOG.md'))?.[1]).toBe(VERSION)
    expect(JSON.parse(readText('package.json')).version).toBe(VERSION)
  })
})
