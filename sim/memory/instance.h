/* The programs of a world: their variables as objects, their functions as addresses. */
#ifndef SIM_INSTANCE_H
#define SIM_INSTANCE_H

#include "sim/decode/program.h"
#include "sim/memory/world.h"

/* The variables of a program in a world, made if it has none there yet.  The instance's arrays are
 * the world's.  Codes of sim_object_create; nothing was made then. */
RT_MUST_USE rt_status sim_instance_find(sim_world *world, sim_program *program,
                                        sim_instance *out_instance);

/* The program of this world whose function has that number in addresses, and the function's index;
 * NULL where no function has it, or its program is gone. */
const sim_program *sim_instance_of_function(const sim_world *world, uint32_t number,
                                            uint32_t *out_function);

/* Releases all programs of a world that ends, which destroys the objects itself. */
void sim_instances_free(sim_world *world);

#endif
