import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
// @ts-expect-error A plugin of serverless is JavaScript without types.
import Image from '../../resources/image.js'
import { deployFolder, npxServerless, plainServerless, root } from './serverless.ts'
import { ofType, type Template } from './template.ts'

const NOT_BUILT = `000000000000.dkr.ecr.us-east-1.amazonaws.com/not-built@sha256:${'0'.repeat(64)}`
const PUSHED = `123456789012.dkr.ecr.us-east-1.amazonaws.com/agent-task-service@sha256:${'1'.repeat(64)}`
const TEMPLATE = '.serverless/cloudformation-template-update-stack.json'

/** What the functions do has no part in this, and takes long to bundle. */
const doNothing = (folder: string) => {
  rmSync(path.join(folder, 'functions'))
  mkdirSync(path.join(folder, 'functions/ui'), { recursive: true })
  for (const file of globSync('functions/{*,ui/handler}.ts', { cwd: root }))
    writeFileSync(path.join(folder, file), 'export const handler = () => undefined')
}

let folder = ''
let packaged: ReturnType<typeof npxServerless>
beforeAll(() => {
  folder = deployFolder(doNothing)
  packaged = npxServerless(folder, 'package')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const templateText = () => readFileSync(path.join(folder, TEMPLATE), 'utf8')
/** serverless prints errors on stdout. */
const deploy = (...args: readonly string[]) => {
  const { status, stdout, stderr } = plainServerless(folder, 'deploy', ...args)
  return { status, said: stdout + stderr }
}

describe('npx serverless package, without any setting', () => {
  it('makes the package, with a stand-in for the image', () => {
    expect(packaged).toMatchObject({ status: 0 })
    const functions = ofType(JSON.parse(templateText()) as Template, 'AWS::Lambda::Function')
    const images = functions.flatMap(([name, { Properties }]) =>
      Properties.Code.ImageUri === undefined ? [] : [[name, Properties.Code.ImageUri]],
    )
    expect(images).toEqual([
      ['WorkerLambdaFunction', NOT_BUILT],
      ['AgenticLambdaFunction', NOT_BUILT],
    ])
  })

  it('says on the console what stands in for what, and what to do instead', () => {
    expect(packaged.stderr).toContain(
      `The image of worker and agentic is not built: ${NOT_BUILT} stands in for it.`,
    )
    expect(packaged.stderr).toContain('cannot be deployed')
    expect(packaged.stderr).toContain('--param image=given --param imageUri=')
  })
})

describe('serverless deploy', () => {
  it('refuses a package without an image, in one line', () => {
    const { status, said } = deploy('--package', '.serverless')
    expect(status).toBe(1)
    expect(said).toMatch(/^Cannot deploy \.serverless: no image was built for it\. [^\n]+$/m)
  })

  it('refuses the stand-in as the image that was pushed', () => {
    const serverless = {
      processedInput: { commands: ['deploy'] },
      service: { provider: { ecr: { images: { service: { uri: NOT_BUILT } } } } },
      classes: { Error },
    }
    const { hooks } = new Image(serverless, { param: ['image=given', `imageUri=${NOT_BUILT}`] }, { log: {} })
    expect(() => hooks?.initialize()).toThrow(/^Cannot deploy: no image was built for it\. [^\n]+$/)
  })

  it('takes a package with an image, and then asks for credentials', () => {
    writeFileSync(path.join(folder, TEMPLATE), templateText().replaceAll(NOT_BUILT, PUSHED))
    const { status, said } = deploy('--package', '.serverless')
    expect(status).toBe(1)
    expect(said).toMatch(/credentials/i)
    expect(said).not.toContain('no image was built')
  })
})
