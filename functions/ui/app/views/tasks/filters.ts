import { useNavigate, useSearch } from '@tanstack/react-router'
import { daysAsMoments } from '../../components/days.ts'
import { zoneNow } from '../../data/locale.ts'
import type { Filters } from '../../data/tasks.ts'

/**
 * The filters in the address, and how to change one; an empty value takes it out. `asked` is what the service is asked for: a
 * day of the address is one of the zone that times are written in.
 */
export const useFilters = () => {
  const filters: Filters = useSearch({ from: '/tasks' })
  const navigate = useNavigate({ from: '/tasks' })
  const change = (changed: Filters) =>
    void navigate({
      search: (before: Filters) =>
        Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value !== '')),
      replace: true,
    })
  const clear = () => void navigate({ search: {} })
  return { filters, asked: daysAsMoments(filters, zoneNow()), change, clear }
}

/** What the list is sorted by: what is pressed again is turned round. */
export const useSorting = () => {
  const { filters, change } = useFilters()
  const by = filters.sortBy ?? 'createdAt'
  const order = filters.sortOrder === 'asc' ? ('asc' as const) : ('desc' as const)
  const onSort = (next: string) => {
    const turned = by === next && order === 'desc' ? 'asc' : ''
    change({ sortBy: next === 'createdAt' ? '' : next, sortOrder: turned })
  }
  return { by, order, onSort }
}

/** Of a list of values in one text: `failed,queued` with `queued` changed is `failed`. */
export const toggledIn = (list: string | undefined, value: string): string => {
  const values = (list ?? '').split(',').filter((one) => one !== '')
  return (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join(',')
}
