import * as z from 'zod'
import { missing, Problem } from '../../core/errors.ts'
import type { CodeHostAccount, CodeHostLists } from '../../ports/code-host.ts'
import type { ProviderFetch } from '../../ports/provider-fetch.ts'
import { codeHostHeaders } from './headers.ts'

const MOST = 100

const Repository = z.object({
  full_name: z.string().max(500),
  default_branch: z.string().max(255),
  private: z.boolean(),
})
const Branch = z.object({ name: z.string().max(255) })

/** GitHub's REST API, or that of a private server: docs.github.com/rest/repos/repos and …/rest/branches/branches. */
export const createCodeHostLists = (needs: { apiUrl: string; fetch: ProviderFetch }): CodeHostLists => {
  const root = needs.apiUrl.replace(/\/+$/, '')

  const list = async <T extends z.ZodType>(path: string, item: T, { token }: CodeHostAccount) => {
    const answer = await needs.fetch(`${root}${path}`, { headers: codeHostHeaders(token) })
    if (answer.status === 404) throw missing('Repository')
    const { data } = z
      .array(item)
      .safeParse(answer.ok ? await answer.json().catch(() => undefined) : undefined)
    if (data === undefined) throw unavailable()
    return data.filter((_, at) => at < MOST)
  }

  return {
    repositories: async (account) => {
      const rows = await list(`/user/repos?sort=pushed&per_page=${MOST}`, Repository, account)
      return rows.map(({ full_name: name, default_branch: defaultBranch, private: isPrivate }) => ({
        name,
        defaultBranch,
        private: isPrivate,
      }))
    },
    branches: async ({ owner, name }, account) => {
      const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/branches?per_page=${MOST}`
      return (await list(path, Branch, account)).map((branch) => branch.name)
    },
  }
}

const unavailable = () =>
  new Problem(
    'unavailable',
    'code_host_unavailable',
    'GitHub did not return the list. Enter the name yourself, or try again later',
  )
