/* The programs of a world: their variables are objects, their functions have addresses. */
#ifndef SIM_INSTANCE_H
#define SIM_INSTANCE_H

#include "sim/decode/program.h"
#include "sim/memory/world.h"

/* Finds the variables of a program in a world, and creates them if it has none there yet. The
 * instance's arrays belong to the world. Errors: those of sim_object_create; nothing is created
 * then. */
RT_MUST_USE rt_status sim_instance_find(sim_world *world, sim_program *program,
                                        sim_instance *out_instance);

/* The program of this world that has the function with that number in addresses; *out_function
 * receives the function's index. NULL if no function has the number, or its program has been
 * released. */
const sim_program *sim_instance_of_function(const sim_world *world, uint32_t number,
                                            uint32_t *out_function);

/* Releases all programs of a world that is being destroyed; the world destroys the objects itself.
 */
void sim_instances_free(sim_world *world);

#endif
