import { Link } from '@tanstack/react-router'

export const ErrorCode = ({ code }: { code: string }) => (
  <Link
    to="/docs/$group/$page"
    params={{ group: 'reference', page: 'errors' }}
    hash={code}
    title="What this means and what to do"
    className="rounded bg-muted px-1 py-0.5 font-mono text-xs underline underline-offset-4 [overflow-wrap:anywhere]"
  >
    {code}
  </Link>
)
