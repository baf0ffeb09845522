import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { deployFolder, npxServerless } from './serverless.ts'
import { ofType, type Template } from './template.ts'

const NOT_BUILT = `000000000000.dkr.ecr.us-east-1.amazonaws.com/not-built@sha256:${'0'.repeat(64)}`
const PUSHED = `123456789012.dkr.ecr.us-east-1.amazonaws.com/agent-task-service@sha256:${'1'.repeat(64)}`
const TEMPLATE = '.serverless/cloudformation-template-update-stack.json'

let folder = ''
let packaged: ReturnType<typeof npxServerless>
beforeAll(() => {
  folder = deployFolder()
  packaged = npxServerless(folder, 'package')
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const textOf = () => readFileSync(path.join(folder, TEMPLATE), 'utf8')
/** serverless prints errors on stdout. */
const deploy = (...args: readonly string[]) => {
  const { status, stdout, stderr } = npxServerless(folder, 'deploy', ...args)
  return { status, said: stdout + stderr }
}

describe('npx serverless package, by somebody who has set nothing', () => {
  it('makes the package, with a stand-in for the image', () => {
    expect(packaged).toMatchObject({ status: 0 })
    const functions = ofType(JSON.parse(textOf()) as Template, 'AWS::Lambda::Function')
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

describe('npx serverless deploy', () => {
  it('refuses a package without an image, in one line', () => {
    const { status, said } = deploy('--package', '.serverless')
    expect(status).toBe(1)
    expect(said).toMatch(/^Cannot deploy \.serverless: no image was built for it\. [^\n]+$/m)
  })

  it('refuses the stand-in as the image that was pushed', () => {
    const { status, said } = deploy('--param', 'image=given', '--param', `imageUri=${NOT_BUILT}`)
    expect(status).toBe(1)
    expect(said).toMatch(/^Cannot deploy: no image was built for it\. [^\n]+$/m)
  })

  it('takes a package with an image, and then asks for credentials', () => {
    writeFileSync(path.join(folder, TEMPLATE), textOf().replaceAll(NOT_BUILT, PUSHED))
    const { status, said } = deploy('--package', '.serverless')
    expect(status).toBe(1)
    expect(said).toMatch(/credentials/i)
    expect(said).not.toContain('no image was built')
  })
})
