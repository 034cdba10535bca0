/*
 * From virtual addresses to host memory: buffers, pieces, constants of the
 * module, and the windows of shared, local and parameter memory.
 */
#include <string.h>

#include "gpu/exec/priv/machine.h"

/* A slot of shared or local memory by its address in that space. */
static bool slot_window(const struct slot *slots, uint32_t count,
			uint64_t address, struct window *w, uint64_t *ret_slot)
{
	uint64_t i = (address >> SLOT_SHIFT) - 1;
	if (i >= count)
		return false;
	w->host += slots[i].at;
	w->base += machine_slot(i);
	w->bytes = slots[i].bytes;
	w->is_writable = true;
	*ret_slot = i;
	return true;
}

static bool shared_window(const struct machine *mc, uint64_t address,
			  uint64_t generic, struct window *w)
{
	const struct exec_module *m = mc->l->m;
	uint64_t slot;
	w->host = mc->shared;
	w->base = generic;
	if (!slot_window(m->shared_slots, m->shared_slot_count, address, w,
			 &slot))
		return false;
	if (slot == m->dynamic_slot) {
		w->host = mc->shared + mc->l->dynamic_at;
		w->bytes = mc->l->in->shared_bytes;
	}
	return true;
}

/* The stack, as far as all lanes have it alike. */
static bool stack_window(const struct machine *mc, const struct strip *s,
			 uint64_t address, uint64_t generic, struct window *w)
{
	const struct launch *l = mc->l;
	uint64_t unit = (address - STACK_BASE) >> STACK_SHIFT;
	uint32_t units = l->m->stack_bytes / STACK_UNIT;
	if (unit >= units || l->stack_bytes == 0)
		return false;
	w->is_stack = true;
	w->is_writable = true;
	w->host = s->local + l->m->stack_at + unit * STACK_UNIT;
	w->base = generic + machine_stack((uint32_t)unit);
	return true;
}

/* The bytes of the variable there that a lane has. */
static uint64_t stack_room(const struct machine *mc, const struct strip *s,
			   const struct window *w, uint32_t lane)
{
	uint64_t at = (uint64_t)(w->host - s->local) - mc->l->m->stack_at;
	if (at >= s->stack_top[lane])
		return 0;
	return s->stack_sizes[at / STACK_UNIT * s->lanes + lane];
}

static bool local_window(const struct machine *mc, const struct strip *s,
			 uint64_t address, uint64_t generic, struct window *w)
{
	uint64_t slot;
	w->is_per_lane = true;
	if (address >= STACK_BASE)
		return stack_window(mc, s, address, generic, w);
	w->host = s->local;
	w->base = generic;
	return slot_window(mc->l->m->local_slots, mc->l->m->local_slot_count,
			   address, w, &slot);
}

static bool param_window(const struct machine *mc, uint64_t generic,
			 struct window *w)
{
	w->host = mc->l->params;
	w->base = generic;
	w->bytes = mc->l->param_bytes;
	w->is_writable = false;
	return true;
}

/* The last piece that starts at or before offset. */
static bool piece_window(const struct exec_buffer *b, uint64_t offset,
			 uint64_t base, struct window *w)
{
	size_t low = 0, high = b->piece_count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (b->pieces[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 ||
	    offset - b->pieces[low - 1].offset >= b->pieces[low - 1].bytes)
		return false;
	w->host = b->pieces[low - 1].data;
	w->base = base + b->pieces[low - 1].offset;
	w->bytes = b->pieces[low - 1].bytes;
	return true;
}

static bool buffer_window(const struct machine *mc, uint64_t slot,
			  uint64_t address, struct window *w)
{
	const struct exec_buffer *b = &mc->l->in->buffers[slot];
	w->buffer = (uint32_t)slot;
	w->origin = EXEC_BUFFER_BASE(slot);
	w->is_writable = b->writable;
	if (b->data == NULL && b->piece_count > 0)
		return piece_window(b, address - w->origin, w->origin, w);
	w->host = b->data;
	w->base = w->origin;
	w->bytes = b->data == NULL ? 0 : b->bytes;
	return true;
}

static bool global_window(const struct machine *mc, uint64_t address,
			  struct window *w)
{
	uint64_t slot = (address >> 40) - 1;
	uint64_t variable = (address >> 40) - 0x8000u;
	if (slot < mc->l->in->buffer_count)
		return buffer_window(mc, slot, address, w);
	if (variable >= mc->l->m->variable_count ||
	    mc->l->variable_host[variable] == NULL)
		return false;
	w->host = mc->l->variable_host[variable];
	w->base = VARIABLE_BASE(variable);
	w->bytes = mc->l->m->variables[variable].public.bytes;
	w->is_writable = false;
	return true;
}

static bool generic_window(const struct machine *mc, const struct strip *s,
			   uint64_t address, struct window *w)
{
	uint64_t low = address & (((uint64_t)1 << WINDOW_SHIFT) - 1);
	if (address >> 40 != 0)
		return global_window(mc, address, w);
	switch (address >> WINDOW_SHIFT) {
	case 1:
		return shared_window(mc, low, WINDOW_SHARED, w);
	case 2:
		return local_window(mc, s, low, WINDOW_LOCAL, w);
	case 3:
		return param_window(mc, WINDOW_PARAM, w);
	default:
		return false;
	}
}

bool machine_window(const struct machine *mc, const struct strip *s,
		    enum op_space space, uint64_t address,
		    struct window *ret_window)
{
	struct window *w = ret_window;
	*w = (struct window){.buffer = UINT32_MAX};
	switch (space) {
	case SPACE_GLOBAL:
		return global_window(mc, address, w);
	case SPACE_SHARED:
		return shared_window(mc, address, 0, w);
	case SPACE_LOCAL:
		return local_window(mc, s, address, 0, w);
	case SPACE_PARAM:
		return param_window(mc, 0, w);
	case SPACE_GENERIC:
		return generic_window(mc, s, address, w);
	case SPACE_FRAME:
		break;
	}
	w->host = s->frames;
	w->bytes = mc->l->m->frame_bytes;
	w->is_writable = true;
	return true;
}

/* Inside the buffer, but no piece shows it. */
static bool is_unopened(struct machine *mc, const struct window *w,
			uint64_t address, uint32_t size)
{
	if (w->buffer == UINT32_MAX)
		return false;
	const struct exec_buffer *b = &mc->l->in->buffers[w->buffer];
	uint64_t offset = address - w->origin;
	return b->data == NULL && size <= b->bytes && offset <= b->bytes - size;
}

bool machine_reach(struct machine *mc, struct strip *s, enum op_space space,
		   uint32_t lane, uint64_t address, uint32_t size,
		   bool is_write, uint8_t **ret_host, struct window *ret_window)
{
	struct window *w = ret_window;
	bool in = machine_window(mc, s, space, address, w);
	if (in && w->is_stack)
		w->bytes = stack_room(mc, s, w, lane);
	in = in && w->bytes >= size && address - w->base <= w->bytes - size;
	if ((address & (size - 1)) != 0) {
		machine_end(mc, s, EXEC_FAULT, EXEC_REASON_misaligned, lane,
			    address);
		return false;
	}
	if (!in && is_unopened(mc, w, address, size)) {
		machine_end(mc, s, EXEC_INCOMPLETE, EXEC_REASON_not_open, lane,
			    address);
		mc->end.missing =
			(struct exec_range){.buffer = w->buffer,
					    .offset = address - w->origin,
					    .bytes = size};
		return false;
	}
	if (!in || (is_write && !w->is_writable)) {
		machine_end(mc, s, EXEC_FAULT,
			    in ? EXEC_REASON_read_only
			       : EXEC_REASON_out_of_bounds,
			    lane, address);
		return false;
	}
	*ret_host = w->host + (address - w->base);
	if (w->is_per_lane)
		*ret_host += (size_t)lane * mc->l->m->local_bytes;
	return true;
}
