import { existsSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { printStage, root } from './serverless.ts'

const text = (name: string) => readFileSync(path.join(root, name), 'utf8')
const FOLDER = 'functions/agentic'

/** The instructions of the Dockerfile, continued lines joined. */
const instructions = text(`${FOLDER}/Dockerfile`)
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
/** Those of each stage. */
const stages = instructions
  .join('\n')
  .split(/^(?=FROM )/m)
  .map((stage) => stage.trim().split('\n'))
const of = (name: string) =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
const last = (name: string) => of(name).at(-1) ?? ''

describe('the container', () => {
  it('stands on the Node that package.json pins, and has git, ripgrep and the adapter to Lambda', () => {
    const { dependencies } = JSON.parse(text('package.json')) as { dependencies: { node: string } }
    const [major, minor] = dependencies.node.split('.')
    const base = `node:${major}.${minor}-slim`
    expect(of('FROM')).toEqual([
      `${base} AS packages`,
      `${base} AS service`,
      'service AS runner',
      // What is built without a target: in Lambda too.
      'service',
    ])
    expect(last('RUN apt-get update')).toMatch(/ git .*ripgrep/)
    expect(of('COPY')).toContainEqual(
      expect.stringMatching(
        /^--from=public\.ecr\.aws\/awsguru\/aws-lambda-adapter:[\d.]+ .* \/opt\/extensions\//,
      ),
    )
  })

  it('is installed from the lock file, without what only development needs', () => {
    expect(of('RUN')).toContainEqual(expect.stringMatching(/^npm ci --omit=dev/))
    const { optionalDependencies } = JSON.parse(text('package.json')) as { optionalDependencies: object }
    const removed = of('RUN').join('\n')
    for (const name of Object.keys(optionalDependencies))
      expect(removed).toContain(`rm -rf node_modules/${name.split('/')[0]}`)
  })

  it('has packages that its own platform installed, and none of the machine that builds it', () => {
    const folders = of('COPY').filter((line) => line.includes('node_modules'))
    expect(folders).toEqual(['--from=packages /service/node_modules node_modules'])
    // `FROM --platform=$BUILDPLATFORM` would install for the machine that builds.
    for (const line of of('FROM')) expect(line).not.toContain('--platform')
  })

  it('can be read by an unknown user, whatever the modes of the clone it was built from', () => {
    const copied = of('COPY')
      .filter((line) => !line.startsWith('--from') && !line.includes('package-lock.json'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    const [, opened = ''] = /chmod -R a\+rX ([^&]+) &&/.exec(of('RUN').join('\n')) ?? []
    expect(opened.split(' ').sort()).toEqual(copied.sort())
  })

  it('buries what agents leave behind, also where its first process is Lambda’s', () => {
    expect(of('ENTRYPOINT')).toEqual(['["tini", "-s", "--"]'])
  })

  it('runs as a user who is not root, from the last instruction of that kind on', () => {
    const [, service = [], runner = [], last = []] = stages
    expect(service.filter((line) => line.startsWith('USER'))).toEqual(['USER node'])
    expect(service.slice(service.indexOf('USER node')).some((line) => line.startsWith('RUN'))).toBe(false)
    expect(last).toEqual(['FROM service', 'VOLUME /data'])
    // A runner gives the programs of each workspace a user of their own, which takes root.
    expect(runner.filter((line) => line.startsWith('USER'))).toEqual(['USER root'])
  })

  it('starts the service as npm start does', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: { start: string } }
    const [, service = []] = stages
    const command = service.find((line) => line.startsWith('CMD '))?.slice(4) ?? ''
    expect(JSON.parse(command).join(' ')).toBe(scripts.start.replace(/^exec /, ''))
  })

  it('is made of files that are there, and lets no others into the build', () => {
    const copied = of('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    for (const name of copied) expect(existsSync(path.join(root, name))).toBe(true)
    const rules = text(`${FOLDER}/Dockerfile.dockerignore`)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const allowed = rules.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(allowed.sort()).toEqual([...new Set(copied)].sort())
    // Of the page what was built goes along, and not what it was built from.
    expect(rules.filter((line) => !line.startsWith('!'))).toEqual([
      '*',
      'functions/ui/app',
      'functions/ui/build',
    ])
  })

  it('has the agents of one’s own where AGENT_ADAPTERS finds them, in the folder that its programs start in', () => {
    expect(last('WORKDIR')).toBe('/service')
    expect(of('COPY')).toContain('agents agents')
  })

  it('is built for the processor that its functions run on', () => {
    expect(text('resources/image.yml')).toMatch(/platform: linux\/arm64\n/)
    expect(text('resources/image.yml')).toContain(`file: ${FOLDER}/Dockerfile\n`)
  })

  it('has a disk on which workspaces do not last, and which no program of an agent fills', () => {
    const functions = Object.values(printStage('prod').functions).filter(({ image }) => image)
    for (const { ephemeralStorageSize = 512, environment = {} } of functions) {
      expect(environment).toMatchObject({
        WORKSPACES_DIR: expect.stringMatching(/^\/tmp\//),
        WORKSPACE_TTL_HOURS: '0',
      })
      expect(Number(environment.AGENT_DISK_MB)).toBeLessThanOrEqual(ephemeralStorageSize - 1_024)
    }
  })

  it('is started by programs that are in it', () => {
    const commands = Object.values(printStage('prod').functions).flatMap(({ image }) =>
      image ? [image.command] : [],
    )
    expect(commands.length).toBe(2)
    for (const [program, ...files] of commands) {
      expect(program).toBe('node')
      for (const file of files) expect(existsSync(path.join(root, file))).toBe(true)
    }
  })
})
