import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'

export default () => rmSync(tmpdir(), { recursive: true, force: true })
