import type { Access, Routes } from '../http/route.ts'

/** The callers of a route, in the words of the API's page. */
const callers: Readonly<Record<Access, string>> = {
  any: 'everybody',
  public: 'everybody',
  optional: 'everybody',
  session: 'users',
  admin: 'admins',
  gateway: 'API tokens',
  webhooks: 'users, API tokens',
}

/** A Markdown table for each group of routes, in the order of the groups. */
export const routesAsMarkdown = (tables: Readonly<Record<string, Routes>>): string =>
  Object.entries(tables)
    .map(([group, routes]) => [`### ${group}`, '', HEADER, ...Object.values(routes).map(rowOf)].join('\n'))
    .join('\n\n')

const HEADER = '| request | for | does |\n|---|---|---|'

const rowOf = ({ method, path, access, summary }: Routes[string]): string =>
  `| \`${method} ${path}\` | ${callers[access]} | ${summary} |`
