/* The programs of a world: their variables are objects, and their functions have addresses. */
#ifndef SIM_INSTANCE_H
#define SIM_INSTANCE_H

#include "sim/decode/program.h"
#include "sim/memory/world.h"

/* Finds a program's instance, with its variables, in a world, or creates it if there is none yet.
 * The instance's arrays belong to the world. On failure nothing is created, and *out_instance has
 * no meaning. Fails with the codes of sim_object_create, or with LIMIT if there are too many
 * functions. */
RT_MUST_USE rt_status sim_instance_find(sim_world *world, sim_program *program,
                                        sim_instance *out_instance);

/* Returns the program of this world whose function has that number in addresses; *out_function
 * receives the function's index. NULL, and *out_function has no meaning, if no function has the
 * number or if the function's program has been released. */
const sim_program *sim_instance_of_function(const sim_world *world, uint32_t number,
                                            uint32_t *out_function);

/* Releases all programs of a world that is being destroyed; the world destroys the objects itself.
 */
void sim_instances_free(sim_world *world);

#endif
