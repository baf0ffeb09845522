import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { onLoopback } from '../../offline/loopback.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A certificate of loopback, and the file that git trusts it by. */
export const makeCertificate = (folder: string) => {
  const [key, cert] = [join(folder, 'host.key'), join(folder, 'host.crt')]
  const names = 'subjectAltName=IP:127.0.0.1,DNS:repository.test'
  const subject = ['-subj', '/CN=repository.test', '-addext', names, '-days', '2']
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
  execFileSync('openssl', ['req', '-x509', ...pair, '-out', cert, ...subject], { stdio: 'pipe' })
  return { caFile: cert, tls: { key: readFileSync(key), cert: readFileSync(cert) } }
}

/** A bare repository with one file in one commit, as a plain web server can hand it out. */
export const makeBareRepository = (folder: string): string => {
  const [work, bare] = [join(folder, 'made'), join(folder, 'repo.git')]
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args])
  git(folder, 'init', '--quiet', '--initial-branch=main', work)
  writeFileSync(join(work, 'greeting.txt'), 'hello\nworld\n')
  git(work, 'add', '.')
  git(work, 'commit', '--quiet', '--message=Begin')
  git(folder, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'update-server-info')
  return bare
}

/**
 * A git host on loopback, at 127.0.0.1 and as repository.test, by https with a certificate of its own in `caFile`. It
 * serves the files of the bare repository as `/owner/repo.git`; `answer`, where given, answers in its place.
 */
export const startGitHost = async (folder: string, { answer }: { answer?: Answer } = {}) => {
  const { caFile, tls } = makeCertificate(folder)
  const bare = makeBareRepository(folder)
  const heard: string[] = []
  const serveFile: Answer = ({ url = '' }, response) => {
    const [path = ''] = url.split('?')
    try {
      response.end(readFileSync(join(bare, path.replace('/owner/repo.git', ''))))
    } catch {
      response.writeHead(404).end()
    }
  }
  const server = createServer(tls, (request, response) => {
    heard.push(request.url ?? '')
    ;(answer ?? serveFile)(request, response)
  })
  const seen = { connections: 0 }
  server.on('connection', () => {
    seen.connections += 1
  })
  const { port, stop } = await onLoopback(server)
  const repository = `https://127.0.0.1:${port}/owner/repo.git`
  return Object.assign(seen, { port, repository, caFile, heard, [Symbol.asyncDispose]: stop })
}
