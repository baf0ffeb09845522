import { useNavigate, useSearch } from '@tanstack/react-router'

export const PAGE_ROWS = 50

/** The page in the address, `?page=2`, and the query for it. */
export const usePage = () => {
  const { page = '1' }: { page?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const number = /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1
  const show = (next: number) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, page: next > 1 ? String(next) : undefined }),
    } as never)
  return { number, show, query: { limit: PAGE_ROWS, offset: (number - 1) * PAGE_ROWS } }
}

export type Paging = ReturnType<typeof usePage>
export type PageQuery = Paging['query']
