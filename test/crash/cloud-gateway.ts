import { startGateway } from './cloud.ts'

/** The functions behind HTTP in a process that can be killed; it says where it is. */
const { url } = await startGateway()
process.stdout.write(`${url}\n`)
